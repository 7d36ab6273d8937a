/* FULLY_CONNECTED of float32 with int8 weights, portable C, pixel form.
 *
 *   q = quantize(x[n])   y[n][u] = clamp(float(sum (q - zero) * w[u]) * (scale * scales[u]) +
 * bias[u])
 *
 * src : [n][depth] f32     dst : [n][units] f32     scratch : depth bytes.
 * |sum| <= 2^16 * 255 * 128 < 2^31. Bit-exact to mcuc/ops/hybrid_weights.py:fully_connected.
 */
#include "fully_connected/fully_connected_hybrid.h"

MCUC_FN void mcuc_fully_connected_f32_s8_f32__c(const void *params, const void *call)
{
  const mcuc_fully_connected_hybrid_params *p = (const mcuc_fully_connected_hybrid_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  int8_t *q = (int8_t *)c->scratch;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const float *x = (const float *)mcuc_at(c->src[0], n * c->src_step[0]);
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    const mcuc_hybrid_scale found = mcuc_hybrid_quantize(x, q, p->depth, p->asymmetric);
    const int8_t *w = p->weights;
    int32_t u;
    for (u = 0; u < p->units; ++u) {
      int32_t sum = 0;
      int32_t k;
      for (k = 0; k < p->depth; ++k) {
        sum += (q[k] - found.zero) * w[k];
      }
      y[u] =
          mcuc_clamp_f32((float)sum * (p->scales[u] * found.scale) + p->bias[u], p->low, p->high);
      w += p->depth;
    }
  }
}
