/* DEPTHWISE_CONV_2D of int8 as products of polynomials: the inner loop. */
#ifndef MCUC_DEPTHWISE_POLY_DSP_H
#define MCUC_DEPTHWISE_POLY_DSP_H

#include "depthwise_conv2d/depthwise_poly_sort.h"

#if MCUC_POLY_HAS_ASM
#include "depthwise_conv2d/depthwise_poly_asm.h"
#endif

/* What sums hold beyond the accumulators, so that fields are not negative. */
#define MCUC_POLY_ABOVE ((int32_t)1 << 20)

/* The row of the planes that x points to, so that all are within reach of an LDRD and an LDR. */
#define MCUC_POLY_X_ROW(size) ((size) == 7 ? 3 : 1)

/* Bytes of code of a kernel row: an SMLAL for each of its words and sums, one LDM and the pixels,
 * for three sums or one. */
#define MCUC_POLY_CODE(words, stride) (4 * (3 * (words) + 3 + (stride)))
#define MCUC_POLY_ALONE_CODE(words) (4 * ((words) + 3))

#if !MCUC_POLY_HAS_ASM

/* One output of a channel, from the sum of a pair. Twin of the assembly's ends. */
static inline int8_t mcuc_poly_end(int32_t acc, const mcuc_poly_row *row, const int32_t *ends)
{
  const mcuc_dsp_scale scale = {0, ends[0], ends[1]};
  if (row->lines != 0) {
    return mcuc_dsp_line(acc, ends[0], ends[1], row->lines - 1);
  }
  return mcuc_dsp_requantize(acc - MCUC_POLY_ABOVE, &scale, row->out_offset);
}

/* The sum of a pair of outputs: kernel rows that are padding, then those that are there; `even`:
 * words of each of them that are not those of odd columns. */
static inline uint64_t mcuc_poly_sum(const mcuc_poly_row *row, const int32_t *ends,
                                     const int32_t *x, const int32_t *w, int32_t words,
                                     int32_t stride)
{
  const int32_t even = stride == 1 ? words : (words + 1) / 2;
  const int32_t rows = row->there / (4 * words);
  uint64_t sum = (uint64_t)(uint32_t)ends[3] << 32 | (uint32_t)ends[2];
  int32_t i;
  for (i = 0; i < row->top + rows + row->below; ++i) {
    const int32_t there = i >= row->top && i < row->top + rows;
    int32_t k;
    for (k = 0; k < words; ++k) {
      const int32_t at = k < even ? stride * k : stride * (k - even) + 1;
      sum += (uint64_t)((int64_t)(there ? x[at] : row->word) * w[k]);
    }
    x += there ? 4 * MCUC_POLY_WORDS : 0;
    w += words;
  }
  return sum;
}

/* The same in C. */
static inline void mcuc_poly_plain(const mcuc_poly_row *row, int32_t size, int32_t stride)
{
  const int32_t words = (size + 1) / 2;
  const int32_t rows = row->there / (4 * words);
  const int32_t sums = row->bytes / (4 * stride) + row->alone;
  int32_t channel;
  for (channel = 0; channel < 4; ++channel) {
    const int32_t *ends = row->ends + 4 * channel;
    const int32_t *x = row->x + (size - rows - MCUC_POLY_X_ROW(size)) * 4 * MCUC_POLY_WORDS;
    int32_t before = 0;
    int32_t n;
    for (n = 0; n < sums; ++n) {
      const uint64_t sum = mcuc_poly_sum(row, ends, x + channel * MCUC_POLY_WORDS + n * stride,
                                         row->weights + channel * size * words, words, stride);
      int8_t *y = row->y + 8 * n + channel;
      y[0] = mcuc_poly_end((int32_t)(sum & 0x1FFFFFU) + before, row, ends);
      y[4] = mcuc_poly_end((int32_t)((sum >> 21) & 0x1FFFFFU), row, ends);
      before = (int32_t)((int64_t)sum >> 42);
    }
  }
}

#define MCUC_POLY_INNER(name, size, stride)  \
  static void name(const mcuc_poly_row *row) \
  {                                          \
    mcuc_poly_plain(row, size, stride);      \
  }

#endif

#endif
