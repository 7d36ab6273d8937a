/* RESIZE_BILINEAR, float32, rows form: the four pixels around, weighted by their distance.
 *
 * src : rows of pixels of `channels` float32
 * dst : n pixels of `channels` float32; no scratch
 * Bit-exact to mcuc/ops/resize_bilinear.py:ref.
 */
#include "mcuc/program.h"
#include "resize_bilinear/resize_bilinear.h"

MCUC_FN void mcuc_resize_bilinear_f32_f32__c(const void *params, const void *call)
{
  const mcuc_resize_bilinear_f32_params *p = (const mcuc_resize_bilinear_f32_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const uint8_t *above = mcuc_source_row(io, 0, p->rows[2 * io->y]);
  const uint8_t *below = mcuc_source_row(io, 0, p->rows[2 * io->y + 1]);
  const int32_t step = io->in[0].view.pixel_stride;
  const float down = p->down[io->y];
  int32_t n, c;

  for (n = 0; n < io->n; ++n) {
    const int16_t *columns = p->columns + 2 * (io->x + n);
    const float *a = (const float *)mcuc_at(above, columns[0] * step);
    const float *b = (const float *)mcuc_at(below, columns[0] * step);
    const float *e = (const float *)mcuc_at(above, columns[1] * step);
    const float *f = (const float *)mcuc_at(below, columns[1] * step);
    float *dst = (float *)mcuc_to(io->dst, n * io->dst_step);
    const float right = p->right[io->x + n];
    for (c = 0; c < p->channels; ++c) {
      float sum = a[c] * (1.0f - down) * (1.0f - right);
      sum = sum + b[c] * down * (1.0f - right);
      sum = sum + e[c] * (1.0f - down) * right;
      dst[c] = sum + f[c] * down * right;
    }
  }
}
