/* CONV_2D of int8 on cores with the DSP extension: the record, and what its kernels share. */
#ifndef MCUC_CONV2D_DSP_H
#define MCUC_CONV2D_DSP_H

#include "mcuc/dsp_wide.h"
#include "mcuc/program.h"

/* Filled by mcuc/ops/dsp_convolution.py. A window's bytes make its depth, kernel row by kernel row;
 * weights of 0 fill each row up to whole words; or, where all rows have `tails`, their last bytes
 * are one more word, behind all others. Channels that are no multiple of 4 are `gathered`: windows
 * are copied to scratch unless the bytes behind a row may be read. `stream` has for each pair of
 * outputs with what its sums start, the weights of mcuc/dsp_dot.h, and mcuc_dot_ends. */
typedef struct mcuc_conv2d_dsp_params {
  const int32_t *stream;
  const int8_t *padding; /* of a kernel row: what padding holds, the input's zero point */
  int32_t in, out;       /* channels */
  int32_t words;         /* of four bytes, in a window */
  int32_t row_words;     /* in a kernel row, without its tail */
  int32_t tails;         /* 1: kernel rows, 4 at most, have a byte behind their words */
  int32_t common;        /* outputs below: in pairs, and lines, or all shifts to the right by 2
                            or more */
  int32_t lines;         /* 1: sums end as lines */
  int32_t kernel_h, kernel_w;
  int32_t stride_w, dilation_w;
  int32_t gathered;   /* 1: pixels are not whole words */
  int32_t out_offset; /* the output's zero point */
  int32_t low, high;  /* clamping range */
} mcuc_conv2d_dsp_params;

/* Stores outputs o and o + 1 (if there is one) of a pixel; y: its output o. */
static inline void mcuc_conv2d_dsp_store(const mcuc_conv2d_dsp_params *p, const mcuc_dot_ends *s,
                                         int8_t *y, int32_t o, mcuc_dot_pair acc)
{
  if (o < p->common && p->lines == 0) {
    mcuc_dot_store(acc, s, y, p->out_offset);
  } else {
    mcuc_dot_store_any(acc, s, y, p->out_offset, p->lines, p->out - o);
  }
}

/* Stores outputs o and o + 1 (if there is one) of two pixels. */
static inline void mcuc_conv2d_dsp_store_two(const mcuc_conv2d_dsp_params *p,
                                             const mcuc_dot_ends *s, int8_t *y0, int8_t *y1,
                                             int32_t o, mcuc_dot_pair acc0, mcuc_dot_pair acc1)
{
  if (o < p->common && p->lines == 0) {
    mcuc_dot_store(acc0, s, y0, p->out_offset);
    mcuc_dot_store(acc1, s, y1, p->out_offset);
  } else {
    mcuc_dot_store_any(acc0, s, y0, p->out_offset, p->lines, p->out - o);
    mcuc_dot_store_any(acc1, s, y1, p->out_offset, p->lines, p->out - o);
  }
}

/* All outputs of a pixel whose depth lies in one piece. */
__attribute__((noinline, unused)) static void mcuc_conv2d_dsp_pixel(const mcuc_conv2d_dsp_params *p,
                                                                    const int8_t *x, int8_t *y)
{
  const int32_t *w = p->stream + 2;
  int32_t o;
  for (o = 0; o + 4 <= p->common; o += 4) {
    const int32_t *next = w + 2 * p->words + MCUC_DOT_GAP;
    mcuc_dot_pair first = mcuc_dot_start(w), second = mcuc_dot_start(next);
    const int32_t *end = mcuc_dot_1x4(x, w, p->words, MCUC_DOT_GAP, &first, &second);
    mcuc_conv2d_dsp_store(p, mcuc_dot_ends_at(w + 2 * p->words), y + o, o, first);
    mcuc_conv2d_dsp_store(p, mcuc_dot_ends_at(end), y + o + 2, o, second);
    w = end + MCUC_DOT_GAP;
  }
  for (; o < p->out; o += 2) {
    mcuc_dot_pair acc = mcuc_dot_start(w);
    w = mcuc_dot_1x2(x, w, p->words, &acc);
    mcuc_conv2d_dsp_store(p, mcuc_dot_ends_at(w), y + o, o, acc);
    w += MCUC_DOT_GAP;
  }
  mcuc_dsp_clamp(y, p->out, p->low, p->high);
}

/* All outputs of two pixels whose depths lie in one piece each. */
__attribute__((noinline, unused)) static void mcuc_conv2d_dsp_two_pixels(
    const mcuc_conv2d_dsp_params *p, const int8_t *x0, const int8_t *x1, int8_t *y0, int8_t *y1)
{
  const int32_t *w = p->stream + 2;
  int32_t o;
  for (o = 0; o < p->out; o += 2) {
    mcuc_dot_pair acc0 = mcuc_dot_start(w), acc1 = acc0;
    w = mcuc_dot_2x2(x0, x1, w, p->words, &acc0, &acc1);
    mcuc_conv2d_dsp_store_two(p, mcuc_dot_ends_at(w), y0 + o, y1 + o, o, acc0, acc1);
    w += MCUC_DOT_GAP;
  }
  mcuc_dsp_clamp(y0, p->out, p->low, p->high);
  mcuc_dsp_clamp(y1, p->out, p->low, p->high);
}

/* All outputs of three pixels that have been widened. */
__attribute__((noinline, unused)) static void mcuc_conv2d_dsp_three_pixels(
    const mcuc_conv2d_dsp_params *p, const uint32_t *x, int8_t *y, int32_t step)
{
  const int32_t *w = p->stream;
  int32_t o;
  if (p->common > 0) {
    w = mcuc_wide_pairs(x, w, p->words, y, step, p->out_offset, p->lines, p->common >> 1, p->low);
  }
  for (o = p->common; o < p->out; o += 2) {
    w = mcuc_wide_pair(x, w, p->words, y + o, step, p->out_offset, p->lines, p->out - o);
  }
  if (p->low > -128 || p->high < 127) {
    for (o = 0; o < 3; ++o) {
      mcuc_dsp_clamp(y + o * step, p->out, p->low, p->high);
    }
  }
}

#endif
