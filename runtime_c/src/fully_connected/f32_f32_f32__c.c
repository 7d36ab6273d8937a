/* FULLY_CONNECTED of float32, portable C, pixel form.
 *
 *   y[n][u] = clamp((0 + sum_k x[n][k] * w[u][k]) + bias[u]), k in ascending order
 *
 * src : [n][depth] f32     dst : [n][units] f32     no scratch.
 * Bit-exact to mcuc/ops/float_weights.py:fully_connected.
 */
#include "fully_connected/fully_connected_f32.h"

MCUC_FN void mcuc_fully_connected_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_fully_connected_f32_params *p = (const mcuc_fully_connected_f32_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const float *x = (const float *)mcuc_at(c->src[0], n * c->src_step[0]);
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    const float *w = p->weights;
    int32_t u;
    for (u = 0; u < p->units; u += MCUC_DOT_F32) {
      const int32_t rest = p->units - u;
      const int32_t rows = rest < MCUC_DOT_F32 ? rest : MCUC_DOT_F32;
      float acc[MCUC_DOT_F32] = {0.0f, 0.0f, 0.0f, 0.0f};
      int32_t k;
      mcuc_dot_f32(acc, x, w, p->depth, rows, p->depth);
      for (k = 0; k < rows; ++k) {
        y[u + k] = mcuc_clamp_f32(acc[k] + p->bias[u + k], p->low, p->high);
      }
      w += rows * p->depth;
    }
  }
}
