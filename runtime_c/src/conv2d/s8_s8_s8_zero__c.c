/* Convolution with weights that have a zero point, any number of groups, portable C, window form.
 *
 *   acc = bias + sum x * w - weights_zero * sum x     over the window and the channels of a group
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][groups * group_out] s8     no scratch.
 * Padding holds the input's zero point. The accumulator wraps as the reference's. Bit-exact to
 * mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d.h"

/* Sum of the inputs of a window and a group, padding included. */
static int32_t mcuc_conv2d_zero_inputs(const mcuc_conv2d_params *p, const mcuc_window_call *c,
                                       int32_t offset)
{
  const int32_t step = p->dilation_w * c->in_step;
  const int32_t missing = p->kernel_h * p->kernel_w - c->kernel_h * c->kernel_w;
  int32_t sum = missing * p->group_in * p->in_zero;
  int32_t i;
  for (i = 0; i < c->kernel_h; ++i) {
    const int8_t *x = (const int8_t *)c->rows[i] + offset;
    int32_t j;
    for (j = 0; j < c->kernel_w; ++j) {
      int32_t k;
      for (k = 0; k < p->group_in; ++k) {
        sum += x[k];
      }
      x += step;
    }
  }
  return sum;
}

MCUC_FN void mcuc_conv2d_s8_s8_s8_zero__c(const void *params, const void *call)
{
  const mcuc_conv2d_zero_params *zero = (const mcuc_conv2d_zero_params *)params;
  const mcuc_conv2d_params *p = &zero->base;
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
      const uint32_t common =
          (uint32_t)mcuc_conv2d_zero_inputs(p, c, offset) * (uint32_t)-zero->weights_zero;
      for (; o < end; ++o) {
        const uint32_t first = (uint32_t)p->bias[o] + common;
        y[o] = mcuc_conv2d_finish(p, mcuc_conv2d_sum(p, c, first, w, offset), o);
        w += filter;
      }
    }
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}
