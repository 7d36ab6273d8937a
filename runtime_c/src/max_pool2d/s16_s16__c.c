/* Maximum pool, portable C, window form with clipped windows.
 *
 *   y[n][c] = clamp(max_ij x[row i][pixel n * stride_w + j * dilation_w][c])
 *
 * rows : kernel_h rows of s16 pixels, only those inside the map     dst : [n][channels] s16
 * No scratch: the maximum grows in dst. Bit-exact to mcuc/ops/max_pool2d.py:ref.
 */
#include "max_pool2d/max_pool2d.h"

MCUC_FN void mcuc_max_pool2d_s16_s16__c(const void *params, const void *call)
{
  const mcuc_max_pool2d_params *p = (const mcuc_max_pool2d_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int16_t *y = (int16_t *)c->dst;
  int32_t start = 0;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int32_t i;
    int32_t k;
    /* Clamping the start and, at the end, the result gives the clamped maximum. */
    for (k = 0; k < p->channels; ++k) {
      y[k] = (int16_t)p->low;
    }
    for (i = 0; i < c->kernel_h; ++i) {
      const int16_t *x = (const int16_t *)mcuc_at(c->rows[i], start);
      int32_t j;
      for (j = 0; j < c->kernel_w; ++j) {
        for (k = 0; k < p->channels; ++k) {
          y[k] = x[k] > y[k] ? x[k] : y[k];
        }
        x = (const int16_t *)mcuc_at(x, p->dilation_w * c->in_step);
      }
    }
    for (k = 0; k < p->channels; ++k) {
      y[k] = y[k] > p->high ? (int16_t)p->high : y[k];
    }
    start += p->stride_w * c->in_step;
    y = (int16_t *)mcuc_to(y, c->dst_step);
  }
}
