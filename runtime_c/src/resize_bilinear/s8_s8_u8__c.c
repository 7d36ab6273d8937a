/* RESIZE_BILINEAR, uint8 less 128, rows form: in float32, halves up.
 *
 * src : rows of pixels of `channels` int8
 * dst : n pixels of `channels` int8; no scratch
 * Bit-exact to mcuc/ops/resize_bilinear.py:ref.
 */
#include "mcuc/program.h"
#include "resize_bilinear/resize_bilinear.h"

MCUC_FN void mcuc_resize_bilinear_s8_s8_u8__c(const void *params, const void *call)
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
    const int8_t *a = (const int8_t *)mcuc_at(above, columns[0] * step);
    const int8_t *b = (const int8_t *)mcuc_at(below, columns[0] * step);
    const int8_t *e = (const int8_t *)mcuc_at(above, columns[1] * step);
    const int8_t *f = (const int8_t *)mcuc_at(below, columns[1] * step);
    int8_t *dst = (int8_t *)mcuc_to(io->dst, n * io->dst_step);
    const float right = p->right[io->x + n];
    for (c = 0; c < p->channels; ++c) {
      float sum = (float)(a[c] + 128) * (1.0f - down) * (1.0f - right);
      sum = sum + (float)(b[c] + 128) * down * (1.0f - right);
      sum = sum + (float)(e[c] + 128) * (1.0f - down) * right;
      sum = sum + (float)(f[c] + 128) * down * right;
      dst[c] = (int8_t)((int32_t)(sum + 0.5f) - 128);
    }
  }
}
