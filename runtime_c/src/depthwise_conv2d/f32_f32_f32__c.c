/* Depthwise convolution of float32 with channel multiplier 1, portable C, window form.
 *
 *   y[n][c] = clamp((0 + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][c]) + bias[c])
 *
 * rows : kernel_h rows of f32 pixels     dst : [n][channels] f32     no scratch.
 * The sum goes through rows and columns in ascending order and leaves padding out.
 * Bit-exact to mcuc/ops/float_weights.py:depthwise_conv2d.
 */
#include "depthwise_conv2d/depthwise_conv2d_f32.h"

MCUC_FN void mcuc_depthwise_conv2d_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_depthwise_conv2d_f32_params *p = (const mcuc_depthwise_conv2d_f32_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t step = p->dilation_w * c->in_step;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    int32_t i;
    int32_t k;
    for (k = 0; k < p->channels; ++k) {
      float acc = 0.0f;
      for (i = 0; i < c->kernel_h; ++i) {
        const uint8_t *x = (const uint8_t *)c->rows[i] + n * p->stride_w * c->in_step;
        const float *w = p->weights + ((c->top + i) * p->kernel_w + c->left) * p->channels;
        int32_t j;
        for (j = 0; j < c->kernel_w; ++j) {
          acc += ((const float *)(const void *)x)[k] * w[k];
          x += step;
          w += p->channels;
        }
      }
      y[k] = mcuc_clamp_f32(acc + p->bias[k], p->low, p->high);
    }
  }
}
