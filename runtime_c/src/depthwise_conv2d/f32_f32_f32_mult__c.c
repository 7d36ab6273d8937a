/* Depthwise convolution of float32 with any channel multiplier, portable C, window form.
 *
 *   y[n][o] = clamp((0 + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][o]) + bias[o]),
 *   o = c * channel_multiplier + k
 *
 * rows : kernel_h rows of f32 pixels     dst : [n][channels * channel_multiplier] f32     no
 * scratch. The sum goes through rows and columns in ascending order and leaves padding out.
 * Bit-exact to mcuc/ops/float_weights.py:depthwise_conv2d.
 */
#include "depthwise_conv2d/depthwise_conv2d_f32.h"

/* Output channel o of a pixel; offset: bytes from a row's first column to its input channel. */
static float mcuc_depthwise_conv2d_f32_mult_sum(const mcuc_depthwise_conv2d_f32_params *p,
                                                const mcuc_window_call *c, int32_t offset,
                                                int32_t o)
{
  const int32_t outputs = p->channels * p->channel_multiplier;
  const int32_t step = p->dilation_w * c->in_step;
  float acc = 0.0f;
  int32_t i;
  for (i = 0; i < c->kernel_h; ++i) {
    const uint8_t *x = (const uint8_t *)c->rows[i] + offset;
    const float *w = p->weights + ((c->top + i) * p->kernel_w + c->left) * outputs + o;
    int32_t j;
    for (j = 0; j < c->kernel_w; ++j) {
      acc += *(const float *)(const void *)x * *w;
      x += step;
      w += outputs;
    }
  }
  return acc;
}

MCUC_FN void mcuc_depthwise_conv2d_f32_f32_f32_mult__c(const void *params, const void *call)
{
  const mcuc_depthwise_conv2d_f32_params *p = (const mcuc_depthwise_conv2d_f32_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    int32_t offset = n * p->stride_w * c->in_step;
    int32_t o = 0;
    int32_t channel;
    for (channel = 0; channel < p->channels; ++channel) {
      const int32_t end = o + p->channel_multiplier;
      for (; o < end; ++o) {
        const float sum = mcuc_depthwise_conv2d_f32_mult_sum(p, c, offset, o);
        y[o] = mcuc_clamp_f32(sum + p->bias[o], p->low, p->high);
      }
      offset += (int32_t)sizeof(float);
    }
  }
}
