/* The body of RESIZE_BILINEAR in float32: the four pixels around, weighted by their distance.
 *
 * src : rows of pixels of `channels` elements
 * dst : n pixels of `channels` elements; no scratch
 * MCUC_REAL(q) is the number that an element means, MCUC_STORED(x) the element of a number.
 * Bit-exact to mcuc/ops/resize_bilinear.py:ref.
 */
#include "mcuc/program.h"
#include "resize_bilinear/resize_bilinear.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
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
    const MCUC_ELEMENT *a = (const MCUC_ELEMENT *)mcuc_at(above, columns[0] * step);
    const MCUC_ELEMENT *b = (const MCUC_ELEMENT *)mcuc_at(below, columns[0] * step);
    const MCUC_ELEMENT *e = (const MCUC_ELEMENT *)mcuc_at(above, columns[1] * step);
    const MCUC_ELEMENT *f = (const MCUC_ELEMENT *)mcuc_at(below, columns[1] * step);
    MCUC_ELEMENT *dst = (MCUC_ELEMENT *)mcuc_to(io->dst, n * io->dst_step);
    const float right = p->right[io->x + n];
    for (c = 0; c < p->channels; ++c) {
      float sum = MCUC_REAL(a[c]) * (1.0f - down) * (1.0f - right);
      sum = sum + MCUC_REAL(b[c]) * down * (1.0f - right);
      sum = sum + MCUC_REAL(e[c]) * (1.0f - down) * right;
      sum = sum + MCUC_REAL(f[c]) * down * right;
      dst[c] = MCUC_STORED(sum);
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
#undef MCUC_REAL
#undef MCUC_STORED
