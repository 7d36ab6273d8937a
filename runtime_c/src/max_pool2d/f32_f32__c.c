/* Maximum pool of float32, portable C, window form with clipped windows.
 *
 *   y[n][c] = clamp(max_ij x[row i][pixel n * stride_w + j * dilation_w][c])
 *
 * rows : kernel_h rows of f32 pixels, only those inside the map     dst : [n][channels] f32
 * No scratch. Bit-exact to mcuc/ops/max_pool2d.py:ref.
 */
#include "max_pool2d/max_pool2d_f32.h"
#include "mcuc/fmath.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_max_pool2d_f32_f32__c(const void *params, const void *call)
{
  const mcuc_max_pool2d_f32_params *p = (const mcuc_max_pool2d_f32_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    int32_t k;
    for (k = 0; k < p->channels; ++k) {
      float max = -3.4028235e38f;
      int32_t i;
      for (i = 0; i < c->kernel_h; ++i) {
        int32_t at = n * p->stride_w * c->in_step;
        int32_t j;
        for (j = 0; j < c->kernel_w; ++j) {
          const float x = ((const float *)mcuc_at(c->rows[i], at))[k];
          max = max < x ? x : max;
          at += p->dilation_w * c->in_step;
        }
      }
      y[k] = mcuc_clamp_f32(max, p->low, p->high);
    }
  }
}
