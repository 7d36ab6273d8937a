/* The body of RESIZE_BILINEAR on integers: the four pixels around, weighted by their distance.
 *
 * src : rows of pixels of `channels` elements
 * dst : n pixels of `channels` elements; no scratch
 * MCUC_KERNEL is the symbol, MCUC_IN the element type, MCUC_WIDE has 21 bits more. Bit-exact to
 * mcuc/ops/resize_bilinear.py:ref.
 */
#include "mcuc/program.h"
#include "resize_bilinear/resize_bilinear.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_resize_bilinear_params *p = (const mcuc_resize_bilinear_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const uint8_t *above = mcuc_source_row(io, 0, p->rows[2 * io->y]);
  const uint8_t *below = mcuc_source_row(io, 0, p->rows[2 * io->y + 1]);
  const int32_t step = io->in[0].view.pixel_stride;
  const MCUC_WIDE down = p->down[io->y];
  int32_t n, c;

  for (n = 0; n < io->n; ++n) {
    const int16_t *columns = p->columns + 2 * (io->x + n);
    const MCUC_IN *a = (const MCUC_IN *)mcuc_at(above, columns[0] * step);
    const MCUC_IN *b = (const MCUC_IN *)mcuc_at(below, columns[0] * step);
    const MCUC_IN *e = (const MCUC_IN *)mcuc_at(above, columns[1] * step);
    const MCUC_IN *f = (const MCUC_IN *)mcuc_at(below, columns[1] * step);
    MCUC_IN *dst = (MCUC_IN *)mcuc_to(io->dst, n * io->dst_step);
    const MCUC_WIDE right = p->right[io->x + n];
    for (c = 0; c < p->channels; ++c) {
      const MCUC_WIDE sum = a[c] * (1024 - down) * (1024 - right) + b[c] * down * (1024 - right) +
                            e[c] * (1024 - down) * right + f[c] * down * right;
      dst[c] = (MCUC_IN)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_IN
#undef MCUC_WIDE
