/* Convolution with one group, DSP extension, window form with edges.
 *
 *   y[n][o] = finish(bias[o] + sum_ijc x[i][n * stride_w + j * dilation_w][c] * w[o][i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][out] s8
 * scratch : three widened windows (mcuc/dsp_wide.h); where `in` is no multiple of 4, behind them
 * three windows of whole words, in which windows are gathered.
 * Blocks of three pixels by two outputs; what is left of a row is gathered pixel by pixel.
 * Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_dsp_window.h"

/* Widens the tails of three windows inside the map. */
static void mcuc_conv2d_dsp_widen_tails(const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c,
                                        int32_t start, uint32_t *wide)
{
  const int32_t step = p->stride_w * c->in_step;
  int8_t tails[3][MCUC_CONV2D_DSP_TAILS] = {{0}, {0}, {0}};
  int32_t i;
  for (i = 0; i < p->kernel_h; ++i) {
    const int32_t row = i - c->top;
    const int32_t present = row >= 0 && row < c->kernel_h;
    const int8_t *x = present ? (const int8_t *)c->rows[row] + start : p->padding;
    const int32_t next = present ? step : 0;
    x += 4 * p->row_words;
    tails[0][i] = x[0];
    tails[1][i] = x[next];
    tails[2][i] = x[2 * next];
  }
  (void)mcuc_wide_fill(wide, tails[0], tails[1], tails[2], 1);
}

/* Widens three windows inside the map from where they lie, `start` bytes from the
 * call's rows. */
static void mcuc_conv2d_dsp_widen(const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c,
                                  int32_t start, uint32_t *wide)
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
    x = (const int8_t *)c->rows[row] + start;
    for (j = 0; j < runs; ++j) {
      wide = mcuc_wide_fill(wide, x, x + step, x + 2 * step, words);
      x += run_step;
    }
  }
  if (p->tails) {
    mcuc_conv2d_dsp_widen_tails(p, c, start, wide);
  }
}

/* Where a window has kernel column j of a row: there, or in the padding. */
static inline const int8_t *mcuc_conv2d_dsp_column(const mcuc_conv2d_dsp_params *p,
                                                   const mcuc_conv2d_dsp_piece *piece,
                                                   const int8_t *row, int32_t step, int32_t j)
{
  const int32_t column = j - piece->left;
  const int32_t inside = row != 0 && column >= 0 && column < piece->columns;
  return inside ? row + piece->start + column * step : p->padding;
}

/* Widens three windows at an edge of the map, whose pixels are whole words. */
static void mcuc_conv2d_dsp_widen_edge(const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c,
                                       const mcuc_conv2d_dsp_piece piece[3], uint32_t *wide)
{
  const int32_t step = p->dilation_w * c->in_step;
  int32_t i;
  for (i = 0; i < p->kernel_h; ++i) {
    const int32_t row = i - c->top;
    const int8_t *x = row >= 0 && row < c->kernel_h ? (const int8_t *)c->rows[row] : 0;
    int32_t j;
    for (j = 0; j < p->kernel_w; ++j) {
      wide = mcuc_wide_fill(wide, mcuc_conv2d_dsp_column(p, &piece[0], x, step, j),
                            mcuc_conv2d_dsp_column(p, &piece[1], x, step, j),
                            mcuc_conv2d_dsp_column(p, &piece[2], x, step, j), p->in >> 2);
    }
  }
}

/* What the window of output pixel n has of the map. */
static mcuc_conv2d_dsp_piece mcuc_conv2d_dsp_piece_at(const mcuc_conv2d_dsp_params *p,
                                                      const mcuc_window_call *c, int32_t n)
{
  const int32_t first = c->start + n * p->stride_w;
  const int32_t origin = c->start < 0 ? 0 : c->start;
  mcuc_conv2d_dsp_piece piece = {0, 0, 0};
  int32_t column = first;
  while (piece.left < p->kernel_w && column < 0) {
    ++piece.left;
    column += p->dilation_w;
  }
  piece.start = (column - origin) * c->in_step;
  while (piece.left + piece.columns < p->kernel_w && column < c->in_w) {
    ++piece.columns;
    column += p->dilation_w;
  }
  return piece;
}

/* Widens the windows of pixels n .. n + 2. `end`: columns that the call may read. */
static void mcuc_conv2d_dsp_three(const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c,
                                  int32_t n, int32_t end, uint32_t *wide)
{
  const int32_t first = c->start + n * p->stride_w;
  const int32_t last = first + 2 * p->stride_w;
  const int32_t inside = first >= 0 && last + (p->kernel_w - 1) * p->dilation_w < c->in_w;
  /* What fills a row to whole words is read from behind it, and multiplied by 0. */
  const int32_t dense = p->dilation_w * c->in_step == p->in;
  const int32_t row = 4 * p->row_words + p->tails;
  const int32_t whole = !p->gathered || (dense && last * p->in + row <= end * p->in);
  mcuc_conv2d_dsp_piece piece[3];
  int32_t k;
  if (inside && whole) {
    mcuc_conv2d_dsp_widen(p, c, (first - (c->start < 0 ? 0 : c->start)) * c->in_step, wide);
    return;
  }
  for (k = 0; k < 3; ++k) {
    piece[k] = mcuc_conv2d_dsp_piece_at(p, c, n + k);
  }
  if (p->gathered) {
    const int32_t size = 4 * p->words;
    int8_t *const window = (int8_t *)wide + MCUC_WIDE_BYTES * p->words;
    for (k = 0; k < 3; ++k) {
      (void)mcuc_conv2d_dsp_gather(p, c, &piece[k], window + k * size);
    }
    (void)mcuc_wide_fill(wide, window, window + size, window + 2 * size, p->words);
  } else {
    mcuc_conv2d_dsp_widen_edge(p, c, piece, wide);
  }
}

MCUC_FN void mcuc_conv2d_s8_s8_s8__dsp_3x2(const void *params, const void *call)
{
  const mcuc_conv2d_dsp_params *p = (const mcuc_conv2d_dsp_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t reach = c->start + (c->n - 1) * p->stride_w + (p->kernel_w - 1) * p->dilation_w + 1;
  const int32_t end = reach < c->in_w ? reach : c->in_w;
  uint32_t *wide = (uint32_t *)c->scratch;
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n + 2 <= c->n && c->n > 2; n += 3) {
    n = n + 3 <= c->n ? n : c->n - 3; /* two pixels that are left: with one before them, again */
    mcuc_conv2d_dsp_three(p, c, n, end, wide);
    mcuc_conv2d_dsp_three_pixels(p, wide, y + n * c->dst_step, c->dst_step);
  }
  for (; n < c->n; ++n) {
    /* window bytes fit where three of them are widened */
    const mcuc_conv2d_dsp_piece piece = mcuc_conv2d_dsp_piece_at(p, c, n);
    const int8_t *x = mcuc_conv2d_dsp_gather(p, c, &piece, (int8_t *)c->scratch);
    mcuc_conv2d_dsp_pixel(p, x, y + n * c->dst_step);
  }
}
