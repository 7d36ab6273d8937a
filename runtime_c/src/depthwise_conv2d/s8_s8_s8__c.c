/* Depthwise convolution with channel multiplier 1, portable C, window form.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][channels] s8     no scratch.
 * Blocks of channels are accumulated on the stack, so that inner loops run over channels that lie
 * one after another. Padding holds the input's zero point. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_conv2d.h"

/* Output channels [first, first + count) of one pixel; start: bytes from a row's first column. */
static void mcuc_depthwise_conv2d_block(const mcuc_depthwise_conv2d_params *p,
                                        const mcuc_window_call *c, int8_t *y, int32_t start,
                                        int32_t first, int32_t count)
{
  const int8_t *w = p->weights + first;
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
      if (mcuc_depthwise_conv2d_present(c, i, j)) {
        const int8_t *x =
            (const int8_t *)c->rows[i - c->top] + start + first + (j - c->left) * step;
        for (k = 0; k < count; ++k) {
          acc[k] += (uint32_t)((int32_t)x[k] * w[k]);
        }
      } else {
        for (k = 0; k < count; ++k) {
          acc[k] += (uint32_t)(p->in_zero * w[k]);
        }
      }
      w += p->channels;
    }
  }
  for (k = 0; k < count; ++k) {
    y[first + k] = mcuc_depthwise_conv2d_finish(p, acc[k], first + k);
  }
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_depthwise_conv2d_params *p = (const mcuc_depthwise_conv2d_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int8_t *y = (int8_t *)c->dst;
  int32_t start = 0;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int32_t first;
    for (first = 0; first < p->channels; first += MCUC_DEPTHWISE_CONV2D_BLOCK) {
      const int32_t rest = p->channels - first;
      mcuc_depthwise_conv2d_block(
          p, c, y, start, first,
          rest < MCUC_DEPTHWISE_CONV2D_BLOCK ? rest : MCUC_DEPTHWISE_CONV2D_BLOCK);
    }
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}
