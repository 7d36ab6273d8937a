/* Convolution of int16 with any number of groups, portable C, window form.
 *
 *   y[n][g * group_out + o] = finish(bias + sum over the window and the channels of group g)
 *
 * rows : kernel_h rows of s16 pixels     dst : [n][groups * group_out] s16     no scratch.
 * Padding is 0. |acc| < 2^47. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_s16.h"

/* Sums of `rows` output elements. offset: bytes from a row's first column to their first channel;
 * w: [rows][kernel_h][kernel_w][group_in]. */
static void mcuc_conv2d_s16_sums(const mcuc_conv2d_s16_params *p, const mcuc_window_call *c,
                                 int64_t *acc, const int8_t *w, int32_t offset, int32_t rows)
{
  const int32_t filter = p->kernel_h * p->kernel_w * p->group_in;
  const int32_t step = p->dilation_w * c->in_step;
  /* Columns that lie one after another in memory are one run. */
  const int32_t dense = step == p->group_in * (int32_t)sizeof(int16_t);
  const int32_t runs = dense ? 1 : c->kernel_w;
  const int32_t run = dense ? c->kernel_w * p->group_in : p->group_in;
  int32_t i;
  for (i = 0; i < c->kernel_h; ++i) {
    const int8_t *taps = w + ((c->top + i) * p->kernel_w + c->left) * p->group_in;
    int32_t at = offset;
    int32_t j;
    for (j = 0; j < runs; ++j) {
      mcuc_dot_s16(acc, (const int16_t *)mcuc_at(c->rows[i], at), taps, filter, rows, run);
      at += step;
      taps += run;
    }
  }
}

MCUC_FN void mcuc_conv2d_s16_s8_s16__c(const void *params, const void *call)
{
  const mcuc_conv2d_s16_params *p = (const mcuc_conv2d_s16_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t filter = p->kernel_h * p->kernel_w * p->group_in;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int16_t *y = (int16_t *)mcuc_to(c->dst, n * c->dst_step);
    int32_t offset = n * p->stride_w * c->in_step;
    const int8_t *w = p->weights;
    int32_t o = 0;
    int32_t g;
    for (g = 0; g < p->groups; ++g) {
      const int32_t end = o + p->group_out;
      while (o < end) {
        const int32_t rows = end - o < MCUC_DOT_S16 ? end - o : MCUC_DOT_S16;
        int64_t acc[MCUC_DOT_S16] = {0, 0, 0, 0};
        int32_t k;
        mcuc_conv2d_s16_sums(p, c, acc, w, offset, rows);
        for (k = 0; k < rows; ++k, ++o) {
          y[o] = mcuc_conv2d_s16_finish(p, acc[k] + p->bias[o], o);
        }
        w += rows * filter;
      }
      offset += p->group_in * (int32_t)sizeof(int16_t);
    }
  }
}
