/* Depthwise convolution with weights that have a zero point, any channel multiplier, portable C,
 * window form.
 *
 *   acc = bias + sum_ij x[i][n * stride_w + j * dilation_w][c] * (w[i][j][o] - weights_zero),
 *   o = c * channel_multiplier + k
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][channels * channel_multiplier] s8     no scratch.
 * Padding holds the input's zero point. Bit-exact to mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_conv2d.h"

/* Accumulator of output channel o; offset: bytes from a row's first column to its input channel. */
static uint32_t mcuc_depthwise_conv2d_zero_sum(const mcuc_depthwise_conv2d_zero_params *zero,
                                               const mcuc_window_call *c, int32_t offset, int32_t o)
{
  const mcuc_depthwise_conv2d_params *p = &zero->base;
  const int32_t outputs = p->channels * p->channel_multiplier;
  const int32_t step = p->dilation_w * c->in_step;
  const int8_t *w = p->weights + o;
  uint32_t acc = (uint32_t)p->bias[o];
  int32_t i;
  for (i = 0; i < p->kernel_h; ++i) {
    int32_t j;
    for (j = 0; j < p->kernel_w; ++j) {
      int32_t x = p->in_zero;
      if (mcuc_depthwise_conv2d_present(c, i, j)) {
        x = ((const int8_t *)c->rows[i - c->top])[offset + (j - c->left) * step];
      }
      acc += (uint32_t)(x * (*w - zero->weights_zero));
      w += outputs;
    }
  }
  return acc;
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_zero__c(const void *params, const void *call)
{
  const mcuc_depthwise_conv2d_zero_params *zero = (const mcuc_depthwise_conv2d_zero_params *)params;
  const mcuc_depthwise_conv2d_params *p = &zero->base;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int8_t *y = (int8_t *)c->dst;
  int32_t start = 0;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int32_t o = 0;
    int32_t channel;
    for (channel = 0; channel < p->channels; ++channel) {
      const int32_t end = o + p->channel_multiplier;
      for (; o < end; ++o) {
        const uint32_t acc = mcuc_depthwise_conv2d_zero_sum(zero, c, start + channel, o);
        y[o] = mcuc_depthwise_conv2d_finish(p, acc, o);
      }
    }
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}
