/* Maximum pool of integers, portable C, window form with clipped windows.
 *
 *   y[n][c] = clamp(max_ij x[row i][pixel n * stride_w + j * dilation_w][c])
 *
 * rows : kernel_h rows of pixels, only those inside the map     dst : [n][channels]
 * No scratch: the maximum grows in dst. Bit-exact to mcuc/ops/max_pool2d.py:ref.
 */
#include "max_pool2d/max_pool2d.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_max_pool2d_params *p = (const mcuc_max_pool2d_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  MCUC_ELEMENT *y = (MCUC_ELEMENT *)c->dst;
  int32_t start = 0;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int32_t i;
    int32_t k;
    /* Clamping the start and, at the end, the result gives the clamped maximum. */
    for (k = 0; k < p->channels; ++k) {
      y[k] = (MCUC_ELEMENT)p->low;
    }
    for (i = 0; i < c->kernel_h; ++i) {
      const MCUC_ELEMENT *x = (const MCUC_ELEMENT *)mcuc_at(c->rows[i], start);
      int32_t j;
      for (j = 0; j < c->kernel_w; ++j) {
        for (k = 0; k < p->channels; ++k) {
          y[k] = x[k] > y[k] ? x[k] : y[k];
        }
        x = (const MCUC_ELEMENT *)mcuc_at(x, p->dilation_w * c->in_step);
      }
    }
    for (k = 0; k < p->channels; ++k) {
      y[k] = y[k] > p->high ? (MCUC_ELEMENT)p->high : y[k];
    }
    start += p->stride_w * c->in_step;
    y = (MCUC_ELEMENT *)mcuc_to(y, c->dst_step);
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
