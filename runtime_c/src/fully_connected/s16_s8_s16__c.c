/* FULLY_CONNECTED of int16, portable C, pixel form.
 *
 *   y[n][u] = clamp(round(double(bias[u] + sum_k x[n][k] * w[u][k]) * factor[u]))
 *
 * src : [n][depth] s16     dst : [n][units] s16     no scratch, no floating point.
 * |acc| < 2^47. Bit-exact to mcuc/ops/fully_connected.py:ref.
 */
#include "fully_connected/fully_connected_s16.h"

MCUC_FN void mcuc_fully_connected_s16_s8_s16__c(const void *params, const void *call)
{
  const mcuc_fully_connected_s16_params *p = (const mcuc_fully_connected_s16_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const int16_t *x = (const int16_t *)mcuc_at(c->src[0], n * c->src_step[0]);
    int16_t *y = (int16_t *)mcuc_to(c->dst, n * c->dst_step);
    const int8_t *w = p->weights;
    int32_t factor = 0;
    int32_t u;
    for (u = 0; u < p->units; ++u) {
      const int64_t acc = mcuc_dot_s16_one(p->bias[u], x, w, p->depth);
      int32_t result;
      result = mcuc_multiply_long_by_double(acc, p->mantissa[factor], p->right_shift[factor]);
      result = result < p->low ? p->low : result;
      y[u] = (int16_t)(result > p->high ? p->high : result);
      w += p->depth;
      factor += p->factor_step;
    }
  }
}
