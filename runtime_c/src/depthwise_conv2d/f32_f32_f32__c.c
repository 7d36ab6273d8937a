/* Depthwise convolution of float32 with channel multiplier 1, portable C, window form.
 *
 *   y[n][c] = clamp((0 + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][c]) + bias[c])
 *
 * rows : kernel_h rows of f32 pixels     dst : [n][channels] f32     no scratch.
 * Blocks of channels are accumulated on the stack. The sum of a channel goes through rows and
 * columns in ascending order and leaves padding out. Bit-exact to
 * mcuc/ops/float_weights.py:depthwise_conv2d.
 */
#include "depthwise_conv2d/depthwise_conv2d_f32.h"

/* Channels that are accumulated together. */
#define MCUC_DEPTHWISE_CONV2D_F32_BLOCK 8

/* Channels [first, first + count) of a pixel; start: bytes from a row's first column. */
static void mcuc_depthwise_conv2d_f32_block(const mcuc_depthwise_conv2d_f32_params *p,
                                            const mcuc_window_call *c, float *y, int32_t start,
                                            int32_t first, int32_t count)
{
  const int32_t step = p->dilation_w * c->in_step;
  float acc[MCUC_DEPTHWISE_CONV2D_F32_BLOCK];
  int32_t i;
  int32_t k;
  for (k = 0; k < count; ++k) {
    acc[k] = 0.0f;
  }
  for (i = 0; i < c->kernel_h; ++i) {
    const float *w = p->weights + ((c->top + i) * p->kernel_w + c->left) * p->channels + first;
    int32_t at = start;
    int32_t j;
    for (j = 0; j < c->kernel_w; ++j) {
      const float *x = (const float *)mcuc_at(c->rows[i], at) + first;
      for (k = 0; k < count; ++k) {
        acc[k] += x[k] * w[k];
      }
      at += step;
      w += p->channels;
    }
  }
  for (k = 0; k < count; ++k) {
    y[first + k] = mcuc_clamp_f32(acc[k] + p->bias[first + k], p->low, p->high);
  }
}

MCUC_FN void mcuc_depthwise_conv2d_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_depthwise_conv2d_f32_params *p = (const mcuc_depthwise_conv2d_f32_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    int32_t first;
    for (first = 0; first < p->channels; first += MCUC_DEPTHWISE_CONV2D_F32_BLOCK) {
      const int32_t rest = p->channels - first;
      mcuc_depthwise_conv2d_f32_block(
          p, c, y, n * p->stride_w * c->in_step, first,
          rest < MCUC_DEPTHWISE_CONV2D_F32_BLOCK ? rest : MCUC_DEPTHWISE_CONV2D_F32_BLOCK);
    }
  }
}
