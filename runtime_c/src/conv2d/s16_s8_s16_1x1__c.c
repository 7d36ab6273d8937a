/* 1x1 convolution of int16 with stride 1 and without padding, portable C, pixel form.
 *
 *   y[n][o] = finish(bias[o] + sum_c x[n][c] * w[o][c])
 *
 * src : [n][group_in] s16     dst : [n][group_out] s16     groups = 1; no scratch.
 * |acc| < 2^47. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_s16.h"

MCUC_FN void mcuc_conv2d_s16_s8_s16_1x1__c(const void *params, const void *call)
{
  const mcuc_conv2d_s16_params *p = (const mcuc_conv2d_s16_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const int16_t *x = (const int16_t *)mcuc_at(c->src[0], n * c->src_step[0]);
    int16_t *y = (int16_t *)mcuc_to(c->dst, n * c->dst_step);
    const int8_t *w = p->weights;
    int32_t o;
    for (o = 0; o < p->group_out; ++o) {
      y[o] = mcuc_conv2d_s16_finish(p, mcuc_conv2d_s16_dot(p->bias[o], x, w, p->group_in), o);
      w += p->group_in;
    }
  }
}
