/* Convolution with one group, portable C, window form.
 *
 *   y[n][o] = finish(bias[o] + sum_ijc x[i][n * stride_w + j * dilation_w][c] * w[o][i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][group_out] s8     groups = 1; no scratch.
 * Padding holds the input's zero point. The accumulator wraps as the reference's. Bit-exact to
 * mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d.h"

/* Output pixels whose windows reach outside the map. */
static void mcuc_conv2d_border(const mcuc_conv2d_params *p, const mcuc_window_call *c)
{
  const int32_t filter = p->kernel_h * p->kernel_w * p->group_in;
  int8_t *y = (int8_t *)c->dst;
  int32_t start = 0;
  int32_t n;
  for (n = 0; n < c->n; ++n) {
    const int8_t *w = p->weights;
    int32_t o;
    for (o = 0; o < p->group_out; ++o) {
      y[o] = mcuc_conv2d_finish(p, mcuc_conv2d_sum(p, c, (uint32_t)p->bias[o], w, start), o);
      w += filter;
    }
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}

MCUC_FN void mcuc_conv2d_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_conv2d_params *p = (const mcuc_conv2d_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  /* Kernel columns that lie one after another in memory are one run. */
  const int32_t dense = p->dilation_w == 1 && c->in_step == p->group_in;
  const int32_t runs = dense ? 1 : c->kernel_w;
  const int32_t run = dense ? c->kernel_w * p->group_in : p->group_in;
  const int32_t run_step = p->dilation_w * c->in_step;
  int8_t *y = (int8_t *)c->dst;
  int32_t start = 0; /* bytes from a row's first column to the window's */
  int32_t n;

  if (c->kernel_h < p->kernel_h || c->kernel_w < p->kernel_w) {
    mcuc_conv2d_border(p, c);
    return;
  }
  for (n = 0; n < c->n; ++n) {
    const int8_t *w = p->weights;
    int32_t o;
    for (o = 0; o < p->group_out; ++o) {
      uint32_t acc = (uint32_t)p->bias[o];
      int32_t i;
      for (i = 0; i < c->kernel_h; ++i) {
        const int8_t *x = (const int8_t *)c->rows[i] + start;
        int32_t j;
        for (j = 0; j < runs; ++j) {
          acc = mcuc_conv2d_dot(acc, x, w, run);
          x += run_step;
          w += run;
        }
      }
      y[o] = mcuc_conv2d_finish(p, acc, o);
    }
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}
