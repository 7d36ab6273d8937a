/* Depthwise convolution of int16 with any channel multiplier, portable C, window form.
 *
 *   y[n][o] = finish(bias[o] + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][o]),
 *   o = c * channel_multiplier + k
 *
 * rows : kernel_h rows of s16 pixels     dst : [n][channels * channel_multiplier] s16     no
 * scratch. Padding is 0. |acc| < 2^47. Bit-exact to mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_conv2d_s16.h"

/* Output channel o of a pixel; offset: bytes from a row's first column to its input channel. */
static int16_t mcuc_depthwise_conv2d_s16_one(const mcuc_depthwise_conv2d_s16_params *p,
                                             const mcuc_window_call *c, int32_t offset, int32_t o)
{
  const int32_t outputs = p->channels * p->channel_multiplier;
  const int32_t step = p->dilation_w * c->in_step;
  int64_t acc = p->bias[o];
  int32_t y;
  int32_t i;
  for (i = 0; i < c->kernel_h; ++i) {
    const int8_t *w = p->weights + ((c->top + i) * p->kernel_w + c->left) * outputs + o;
    int32_t at = offset;
    int32_t j;
    for (j = 0; j < c->kernel_w; ++j) {
      acc += *(const int16_t *)mcuc_at(c->rows[i], at) * *w;
      at += step;
      w += outputs;
    }
  }
  y = mcuc_multiply_long_by_reduced(acc, p->multiplier[o], p->right[o]);
  if (y < p->low) {
    return (int16_t)p->low;
  }
  return (int16_t)(y > p->high ? p->high : y);
}

MCUC_FN void mcuc_depthwise_conv2d_s16_s8_s16__c(const void *params, const void *call)
{
  const mcuc_depthwise_conv2d_s16_params *p = (const mcuc_depthwise_conv2d_s16_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int16_t *y = (int16_t *)mcuc_to(c->dst, n * c->dst_step);
    int32_t offset = n * p->stride_w * c->in_step;
    int32_t o = 0;
    int32_t channel;
    for (channel = 0; channel < p->channels; ++channel) {
      const int32_t end = o + p->channel_multiplier;
      for (; o < end; ++o) {
        y[o] = mcuc_depthwise_conv2d_s16_one(p, c, offset, o);
      }
      offset += (int32_t)sizeof(int16_t);
    }
  }
}
