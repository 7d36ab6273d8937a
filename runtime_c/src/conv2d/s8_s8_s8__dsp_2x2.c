/* Convolution with one group, DSP extension, window form.
 *
 *   y[n][o] = finish(bias[o] + sum_ijc x[i][n * stride_w + j * dilation_w][c] * w[o][i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][out] s8
 * scratch : two windows of whole words, where `in` is no multiple of 4; else none.
 * Blocks of two pixels by two outputs, read where they lie: a kernel row is one run of bytes, or a
 * kernel column is when the kernel is dilated. Padding is read from a constant pixel. Bit-exact to
 * mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_dsp_window.h"

/* Pixel n's window, copied to `window`. */
static const int8_t *mcuc_conv2d_dsp_gather_at(const mcuc_conv2d_dsp_params *p,
                                               const mcuc_window_call *c, int32_t n, int8_t *window)
{
  const mcuc_conv2d_dsp_piece piece = {n * p->stride_w * c->in_step, c->left, c->kernel_w};
  return mcuc_conv2d_dsp_gather(p, c, &piece, window);
}

static void mcuc_conv2d_dsp_gathered(const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c)
{
  int8_t *const window = (int8_t *)c->scratch;
  int8_t *y = (int8_t *)c->dst;
  int32_t n;
  for (n = 0; n + 1 < c->n; n += 2) {
    const int8_t *x0 = mcuc_conv2d_dsp_gather_at(p, c, n, window);
    const int8_t *x1 = mcuc_conv2d_dsp_gather_at(p, c, n + 1, window + 4 * p->words);
    mcuc_conv2d_dsp_two_pixels(p, x0, x1, y, y + c->dst_step);
    y += 2 * c->dst_step;
  }
  if (n < c->n) {
    mcuc_conv2d_dsp_pixel(p, mcuc_conv2d_dsp_gather_at(p, c, n, window), y);
  }
}

/* Pixels n and n + 1, whose windows lie inside the map. */
static void mcuc_conv2d_dsp_inner(const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c,
                                  int32_t n)
{
  /* Kernel columns that lie one after another in memory are one run. */
  const int32_t run_step = p->dilation_w * c->in_step;
  const int32_t dense = run_step == p->in;
  const int32_t runs = dense ? 1 : p->kernel_w;
  const int32_t words = (dense ? p->kernel_w * p->in : p->in) >> 2;
  const int32_t step = p->stride_w * c->in_step;
  const int32_t start = n * step;
  int8_t *y0 = (int8_t *)c->dst + n * c->dst_step;
  int8_t *y1 = y0 + c->dst_step;
  const int32_t *w = p->stream + 2;
  int32_t o;
  for (o = 0; o < p->out; o += 2) {
    mcuc_dot_pair acc0 = mcuc_dot_start(w), acc1 = acc0;
    int32_t i;
    for (i = 0; i < p->kernel_h; ++i) {
      const int8_t *x = (const int8_t *)c->rows[i] + start;
      int32_t j;
      for (j = 0; j < runs; ++j) {
        w = mcuc_dot_2x2(x, x + step, w, words, &acc0, &acc1);
        x += run_step;
      }
    }
    mcuc_conv2d_dsp_store_two(p, mcuc_dot_ends_at(w), y0 + o, y1 + o, o, acc0, acc1);
    w += MCUC_DOT_GAP;
  }
  mcuc_dsp_clamp(y0, p->out, p->low, p->high);
  mcuc_dsp_clamp(y1, p->out, p->low, p->high);
}

MCUC_FN void mcuc_conv2d_s8_s8_s8__dsp_2x2(const void *params, const void *call)
{
  const mcuc_conv2d_dsp_params *p = (const mcuc_conv2d_dsp_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t whole = c->kernel_h == p->kernel_h && c->kernel_w == p->kernel_w;
  int32_t n = 0;

  if (p->gathered) {
    mcuc_conv2d_dsp_gathered(p, c);
    return;
  }
  for (; whole && n + 1 < c->n; n += 2) {
    mcuc_conv2d_dsp_inner(p, c, n);
  }
  for (; n < c->n; ++n) {
    mcuc_conv2d_dsp_single(p, c, n);
  }
}
