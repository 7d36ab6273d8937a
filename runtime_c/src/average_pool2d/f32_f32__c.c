/* Average pool of float32, portable C, window form with clipped windows.
 *
 *   y[n][c] = clamp((0 + sum_ij x[row i][pixel n * stride_w + j][c]) / (kernel_h * kernel_w))
 *
 * rows : kernel_h rows of f32 pixels, only those inside the map     dst : [n][channels] f32
 * No scratch. The sum goes through rows and columns in ascending order.
 * Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d_f32.h"
#include "mcuc/fmath.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_average_pool2d_f32_f32__c(const void *params, const void *call)
{
  const mcuc_average_pool2d_f32_params *p = (const mcuc_average_pool2d_f32_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const float elements = (float)(c->kernel_h * c->kernel_w);
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    int32_t k;
    for (k = 0; k < p->channels; ++k) {
      float sum = 0.0f;
      int32_t i;
      for (i = 0; i < c->kernel_h; ++i) {
        int32_t at = n * p->stride_w * c->in_step;
        int32_t j;
        for (j = 0; j < c->kernel_w; ++j) {
          sum += ((const float *)mcuc_at(c->rows[i], at))[k];
          at += c->in_step;
        }
      }
      y[k] = mcuc_clamp_f32(sum / elements, p->low, p->high);
    }
  }
}
