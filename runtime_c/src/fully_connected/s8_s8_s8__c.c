/* FULLY_CONNECTED in the rule set litert-2.3, portable C, pixel form.
 *
 *   acc[u]  = bias[u] + sum_k x[n][k] * (w[u][k] + weights_offset)
 *   y[n][u] = clamp(out_offset + round(double(acc[u]) * factor[u]))
 *
 * src : [n][depth] s8     dst : [n][units] s8     no scratch, no floating point.
 * The product with the double is made from integers and has the same bits (mcuc/requant.h). The
 * accumulator wraps as the reference's. Bit-exact to mcuc/ops/fully_connected.py:ref.
 */
#include "fully_connected/fully_connected.h"

MCUC_FN void mcuc_fully_connected_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_fully_connected_params *p = (const mcuc_fully_connected_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const uint32_t offset = mcuc_fully_connected_offset(p->weights_offset, x, p->depth);
    const int8_t *w = p->weights;
    int32_t factor = 0;
    int32_t u;
    for (u = 0; u < p->units; ++u) {
      const uint32_t acc = mcuc_fully_connected_dot((uint32_t)p->bias[u] + offset, x, w, p->depth);
      const int32_t scaled =
          mcuc_multiply_by_double((int32_t)acc, p->mantissa[factor], p->right_shift[factor]);
      y[u] = mcuc_fully_connected_clamp(scaled, p->out_offset, p->low, p->high);
      w += p->depth;
      factor += p->factor_step;
    }
    x += c->src_step[0];
    y += c->dst_step;
  }
}
