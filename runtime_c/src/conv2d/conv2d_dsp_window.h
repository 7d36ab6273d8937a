/* CONV_2D of int8 on cores with the DSP extension: what its kernels of the window form share. */
#ifndef MCUC_CONV2D_DSP_WINDOW_H
#define MCUC_CONV2D_DSP_WINDOW_H

#include "conv2d/conv2d_dsp.h"

/* What a window has of the map: `columns` kernel columns from `left` on, the first of them `start`
 * bytes from the call's rows. */
typedef struct mcuc_conv2d_dsp_piece {
  int32_t start, left, columns;
} mcuc_conv2d_dsp_piece;

/* Bytes of the word of tails. */
#define MCUC_CONV2D_DSP_TAILS 4

/* Copies a window, with its padding, to `window`, and returns that. */
__attribute__((noinline, unused)) static const int8_t *mcuc_conv2d_dsp_gather(
    const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c, const mcuc_conv2d_dsp_piece *piece,
    int8_t *window)
{
  const int32_t step = p->dilation_w * c->in_step;
  int8_t tails[MCUC_CONV2D_DSP_TAILS] = {0};
  int32_t i;
  for (i = 0; i < p->kernel_h; ++i) {
    const int32_t row = i - c->top;
    const int32_t present = row >= 0 && row < c->kernel_h;
    const int8_t *x = present ? (const int8_t *)c->rows[row] + piece->start : p->padding;
    int8_t *to = window + i * p->row_words * 4;
    int32_t j;
    if (p->tails && i > 0) {
      tails[i - 1] = *to; /* of the row before, where this one goes */
    }
    if (present && step == p->in) { /* columns are one run: padding, what is there, padding */
      const int32_t before = piece->left * p->in, run = piece->columns * p->in;
      mcuc_dsp_copy(to, p->padding, before);
      mcuc_dsp_copy(to + before, x, run);
      mcuc_dsp_copy(to + before + run, p->padding, p->kernel_w * p->in - before - run);
      continue;
    }
    for (j = 0; j < p->kernel_w; ++j) {
      const int32_t column = j - piece->left;
      const int32_t inside = present && column >= 0 && column < piece->columns;
      mcuc_dsp_copy(to, inside ? x + column * step : p->padding, p->in);
      to += p->in;
    }
  }
  if (p->tails) {
    int8_t *const to = window + p->kernel_h * p->row_words * 4;
    tails[p->kernel_h - 1] = *to;
    mcuc_dsp_copy(to, tails, MCUC_CONV2D_DSP_TAILS);
  }
  return window;
}

/* Output pixel n alone, read where it lies; its window may reach outside the map. */
__attribute__((noinline, unused)) static void mcuc_conv2d_dsp_single(
    const mcuc_conv2d_dsp_params *p, const mcuc_window_call *c, int32_t n)
{
  const int32_t step = p->dilation_w * c->in_step;
  const int32_t start = n * p->stride_w * c->in_step;
  const int32_t words = p->in >> 2;
  const int32_t *w = p->stream + 2;
  int8_t *y = (int8_t *)c->dst + n * c->dst_step;
  int32_t o;
  for (o = 0; o < p->out; o += 2) {
    mcuc_dot_pair acc = mcuc_dot_start(w);
    int32_t i;
    for (i = 0; i < p->kernel_h; ++i) {
      const int32_t row = i - c->top;
      const int32_t present = row >= 0 && row < c->kernel_h;
      const int8_t *x = present ? (const int8_t *)c->rows[row] + start : p->padding;
      int32_t column;
      for (column = -c->left; column < p->kernel_w - c->left; ++column) {
        const int32_t inside = present && column >= 0 && column < c->kernel_w;
        w = mcuc_dot_1x2(inside ? x + column * step : p->padding, w, words, &acc);
      }
    }
    mcuc_conv2d_dsp_store(p, mcuc_dot_ends_at(w), y + o, o, acc);
    w += MCUC_DOT_GAP;
  }
  mcuc_dsp_clamp(y, p->out, p->low, p->high);
}

#endif
