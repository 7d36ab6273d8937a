/* FULLY_CONNECTED in the rule set tflm, portable C, pixel form.
 *
 *   y[n][u] = clamp(out_offset + requantize(bias[u] + sum_k x[n][k] * (w[u][k] + weights_offset)))
 *
 * src : [n][depth] s8     dst : [n][units] s8     no scratch.
 * The accumulator wraps as the reference's. Bit-exact to mcuc/ops/fully_connected.py:ref.
 */
#include "fully_connected/fully_connected.h"

MCUC_FN void mcuc_fully_connected_s8_s8_s8_tflm__c(const void *params, const void *call)
{
  const mcuc_fully_connected_tflm_params *p = (const mcuc_fully_connected_tflm_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const uint32_t offset = mcuc_fully_connected_offset(p->weights_offset, x, p->depth);
    const int8_t *w = p->weights;
    int32_t u;
    for (u = 0; u < p->units; ++u) {
      const uint32_t acc = mcuc_fully_connected_dot((uint32_t)p->bias[u] + offset, x, w, p->depth);
      const int32_t scaled =
          mcuc_multiply_by_quantized_multiplier((int32_t)acc, p->multiplier[u], p->shift[u]);
      y[u] = mcuc_fully_connected_clamp(scaled, p->out_offset, p->low, p->high);
      w += p->depth;
    }
    x += c->src_step[0];
    y += c->dst_step;
  }
}
