/* Depthwise convolution with any channel multiplier, portable C, window form.
 *
 *   y[n][o] = finish(bias[o] + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][o]),
 *   o = c * channel_multiplier + k
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][channels * channel_multiplier] s8     no scratch.
 * The outputs of one input channel are accumulated on the stack, a block at a time. Padding holds
 * the input's zero point. Bit-exact to mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_conv2d.h"

/* Output channels [first, first + count) of one pixel, all of the input channel at `x_offset`
 * bytes from a row's first column. */
static void mcuc_depthwise_conv2d_mult_block(const mcuc_depthwise_conv2d_params *p,
                                             const mcuc_window_call *c, int8_t *y, int32_t x_offset,
                                             int32_t first, int32_t count)
{
  const int8_t *w = p->weights + first;
  const int32_t w_step = p->channels * p->channel_multiplier;
  const int32_t step = p->dilation_w * c->in_step;
  uint32_t acc[MCUC_DEPTHWISE_CONV2D_BLOCK];
  int32_t i;
  int32_t k;

  for (k = 0; k < count; ++k) {
    acc[k] = (uint32_t)p->bias[first + k];
  }
  for (i = 0; i < p->kernel_h; ++i) {
    int32_t j;
    for (j = 0; j < p->kernel_w; ++j) {
      int32_t value = p->in_zero;
      if (mcuc_depthwise_conv2d_present(c, i, j)) {
        value = ((const int8_t *)c->rows[i - c->top])[x_offset + (j - c->left) * step];
      }
      for (k = 0; k < count; ++k) {
        acc[k] += (uint32_t)(value * w[k]);
      }
      w += w_step;
    }
  }
  for (k = 0; k < count; ++k) {
    y[first + k] = mcuc_depthwise_conv2d_finish(p, acc[k], first + k);
  }
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_mult__c(const void *params, const void *call)
{
  const mcuc_depthwise_conv2d_params *p = (const mcuc_depthwise_conv2d_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t multiplier = p->channel_multiplier;
  int8_t *y = (int8_t *)c->dst;
  int32_t start = 0;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int32_t channel;
    for (channel = 0; channel < p->channels; ++channel) {
      int32_t done;
      for (done = 0; done < multiplier; done += MCUC_DEPTHWISE_CONV2D_BLOCK) {
        const int32_t rest = multiplier - done;
        mcuc_depthwise_conv2d_mult_block(
            p, c, y, start + channel, channel * multiplier + done,
            rest < MCUC_DEPTHWISE_CONV2D_BLOCK ? rest : MCUC_DEPTHWISE_CONV2D_BLOCK);
      }
    }
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}
