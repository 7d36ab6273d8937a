/* 1x1 convolution with stride 1 and without padding, portable C, pixel form.
 *
 *   y[n][o] = finish(bias[o] + sum_c x[n][c] * w[o][c])
 *
 * src : [n][group_in] s8     dst : [n][group_out] s8     groups = 1; no scratch.
 * The accumulator wraps as the reference's. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d.h"

MCUC_FN void mcuc_conv2d_s8_s8_s8_1x1__c(const void *params, const void *call)
{
  const mcuc_conv2d_params *p = (const mcuc_conv2d_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  const int32_t depth = p->group_in;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const int8_t *w = p->weights;
    int32_t o;
    for (o = 0; o < p->group_out; ++o) {
      y[o] = mcuc_conv2d_finish(p, mcuc_conv2d_dot((uint32_t)p->bias[o], x, w, depth), o);
      w += depth;
    }
    x += c->src_step[0];
    y += c->dst_step;
  }
}
