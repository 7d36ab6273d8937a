/* Convolution with any number of groups, portable C, window form.
 *
 *   y[n][g * group_out + o] = finish(bias + sum over the window and the channels of group g)
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][groups * group_out] s8     no scratch.
 * Padding holds the input's zero point. The accumulator wraps as the reference's. Bit-exact to
 * mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d.h"

MCUC_FN void mcuc_conv2d_s8_s8_s8_grouped__c(const void *params, const void *call)
{
  const mcuc_conv2d_params *p = (const mcuc_conv2d_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t filter = p->kernel_h * p->kernel_w * p->group_in;
  int8_t *y = (int8_t *)c->dst;
  int32_t start = 0;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const int8_t *w = p->weights;
    int32_t o = 0;
    int32_t g;
    for (g = 0; g < p->groups; ++g) {
      const int32_t end = o + p->group_out;
      const int32_t offset = start + g * p->group_in;
      for (; o < end; ++o) {
        y[o] = mcuc_conv2d_finish(p, mcuc_conv2d_sum(p, c, (uint32_t)p->bias[o], w, offset), o);
        w += filter;
      }
    }
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}
