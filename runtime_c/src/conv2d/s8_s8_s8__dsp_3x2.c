/* Convolution with one group, DSP extension, window form.
 *
 *   y[n][o] = finish(bias[o] + sum_ijc x[i][n * stride_w + j * dilation_w][c] * w[o][i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][out] s8
 * scratch : three widened windows (mcuc/dsp_wide.h); where `in` is no multiple of 4, behind them
 * three windows of whole words, in which windows are gathered.
 * Blocks of three pixels by two outputs; what is left of a row, and windows with missing columns,
 * are gathered one by one. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_dsp_window.h"

/* Widens the windows of pixels n .. n + 2, whole columns of them, from where they lie. */
static void mcuc_conv2d_dsp_widen(const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c,
                                  int32_t n, uint32_t *wide)
{
  /* Kernel columns that lie one after another in memory are one run. */
  const int32_t run_step = p->dilation_w * c->in_step;
  const int32_t dense = run_step == p->in;
  const int32_t runs = dense ? 1 : p->kernel_w;
  const int32_t words = dense ? p->row_words : p->in >> 2;
  const int32_t step = p->stride_w * c->in_step;
  int32_t i;
  for (i = 0; i < p->kernel_h; ++i) {
    const int32_t row = i - c->top;
    const int8_t *x;
    int32_t j;
    if (row < 0 || row >= c->kernel_h) {
      wide = mcuc_wide_fill(wide, p->padding, p->padding, p->padding, p->row_words);
      continue;
    }
    x = (const int8_t *)c->rows[row] + n * step;
    for (j = 0; j < runs; ++j) {
      wide = mcuc_wide_fill(wide, x, x + step, x + 2 * step, words);
      x += run_step;
    }
  }
}

/* How many pixels of a call must follow one whose kernel rows are read in whole words: bytes behind
 * a row are then bytes of a window that follows. More than all if words do not lie in one piece. */
static int32_t mcuc_conv2d_dsp_ahead(const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c)
{
  const int32_t step = p->stride_w * c->in_step;
  if (!p->gathered) {
    return 0;
  }
  if (p->dilation_w * c->in_step != p->in) {
    return c->n;
  }
  return (4 * p->row_words - p->kernel_w * p->in + step - 1) / step;
}

MCUC_FN void mcuc_conv2d_s8_s8_s8__dsp_3x2(const void *params, const void *call)
{
  const mcuc_conv2d_dsp_params *p = (const mcuc_conv2d_dsp_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t whole = c->kernel_w == p->kernel_w;
  const int32_t ahead = mcuc_conv2d_dsp_ahead(p, c);
  const int32_t size = 4 * p->words;
  uint32_t *wide = (uint32_t *)c->scratch;
  int8_t *const window = (int8_t *)c->scratch + MCUC_WIDE_BYTES * p->words;
  int8_t *y = (int8_t *)c->dst;
  int32_t n = 0;

  for (; whole && n + 2 < c->n; n += 3) {
    if (n + 2 + ahead >= c->n) {
      const int8_t *x0 = mcuc_conv2d_dsp_gather(p, c, n, window);
      const int8_t *x1 = mcuc_conv2d_dsp_gather(p, c, n + 1, window + size);
      const int8_t *x2 = mcuc_conv2d_dsp_gather(p, c, n + 2, window + 2 * size);
      (void)mcuc_wide_fill(wide, x0, x1, x2, p->words);
    } else {
      mcuc_conv2d_dsp_widen(p, c, n, wide);
    }
    mcuc_conv2d_dsp_three_pixels(p, wide, y + n * c->dst_step, c->dst_step);
  }
  for (; n < c->n; ++n) {
    /* window bytes fit where three of them are widened */
    const int8_t *x = mcuc_conv2d_dsp_gather(p, c, n, (int8_t *)c->scratch);
    mcuc_conv2d_dsp_pixel(p, x, y + n * c->dst_step);
  }
}
