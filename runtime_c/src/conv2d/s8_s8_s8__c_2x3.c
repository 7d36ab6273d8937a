/* Convolution with one group, multiply-accumulate, window form.
 *
 *   y[n][o] = finish(bias[o] + sum_ijc x[i][n * stride_w + j * dilation_w][c] * w[o][i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][out] s8     scratch : two windows.
 * Windows are copied to scratch, with padding where they reach outside the map, and computed in
 * blocks of two pixels by three outputs. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_mac.h"

/* Copies the window of output pixel n of a call to `to`. */
static void mcuc_conv2d_mac_gather(const mcuc_conv2d_mac_params *p, const mcuc_window_call *c,
                                   int32_t n, int8_t *to)
{
  const int32_t start = n * p->stride_w * c->in_step;
  const int32_t step = p->dilation_w * c->in_step;
  const int32_t line = p->kernel_w * p->in;
  int32_t i;
  for (i = -c->top; i < p->kernel_h - c->top; ++i) {
    const int8_t *x;
    int32_t j;
    if (i < 0 || i >= c->kernel_h) {
      mcuc_dsp_copy(to, p->padding, line);
      to += line;
      continue;
    }
    x = (const int8_t *)c->rows[i] + start;
    if (step == p->in) { /* columns are one run: padding, what is there, padding */
      const int32_t before = c->left * p->in, run = c->kernel_w * p->in;
      mcuc_dsp_copy(to, p->padding, before);
      mcuc_dsp_copy(to + before, x, run);
      mcuc_dsp_copy(to + before + run, p->padding, line - before - run);
      to += line;
      continue;
    }
    for (j = -c->left; j < p->kernel_w - c->left; ++j) {
      mcuc_dsp_copy(to, j >= 0 && j < c->kernel_w ? x + j * step : p->padding, p->in);
      to += p->in;
    }
  }
}

MCUC_FN void mcuc_conv2d_s8_s8_s8__c_2x3(const void *params, const void *call)
{
  const mcuc_conv2d_mac_params *p = (const mcuc_conv2d_mac_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int8_t *const x0 = (int8_t *)c->scratch;
  int8_t *const x1 = x0 + p->depth;
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n + 1 < c->n; n += 2) {
    mcuc_conv2d_mac_gather(p, c, n, x0);
    mcuc_conv2d_mac_gather(p, c, n + 1, x1);
    mcuc_conv2d_mac_two_pixels(p, x0, x1, y, c->dst_step);
    y += 2 * c->dst_step;
  }
  if (n < c->n) {
    mcuc_conv2d_mac_gather(p, c, n, x0);
    mcuc_conv2d_mac_pixel(p, x0, y);
  }
}
