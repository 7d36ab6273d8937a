/* DEPTHWISE_CONV_2D of int8 as products of polynomials: a row of outputs. */
#ifndef MCUC_DEPTHWISE_POLY_RUN_H
#define MCUC_DEPTHWISE_POLY_RUN_H

#include "depthwise_conv2d/depthwise_poly_dsp.h"

/* A kernel of one size: outputs of all turns of four channels. */
typedef void (*mcuc_poly_inner)(const mcuc_poly_row *row, int32_t stride);

/* A piece of a row: the columns [first, end) of the planes that the map has. */
typedef struct mcuc_poly_piece {
  int32_t outputs;
  int32_t first, end;
  int32_t columns;
} mcuc_poly_piece;

/* Words [from, end) of a row of four planes. */
static inline void mcuc_poly_pad_words(int32_t *to, int32_t word, int32_t from, int32_t end)
{
  for (; from < end; ++from) {
    to[from] = word;
    to[from + MCUC_POLY_WORDS] = word;
    to[from + 2 * MCUC_POLY_WORDS] = word;
    to[from + 3 * MCUC_POLY_WORDS] = word;
  }
}

/* Fills the words that have only columns outside the map. They stay so: all channels are padded
 * alike. */
static inline void mcuc_poly_pad(const mcuc_poly_piece *piece, int32_t stride, int32_t rows,
                                 int32_t word, int32_t *to)
{
  const int32_t whole = 2 * stride; /* columns */
  const int32_t left = piece->first / whole * stride;
  const int32_t right = (piece->end + whole - 1) / whole * stride;
  const int32_t words = (piece->columns + whole - 1) / whole * stride;
  int32_t i;
  for (i = 0; i < rows; ++i) {
    mcuc_poly_pad_words(to, word, 0, left);
    mcuc_poly_pad_words(to, word, piece->first < piece->end ? right : left, words);
    to += 4 * MCUC_POLY_WORDS;
  }
}

/* Stores n > 0 outputs of four channels. */
static inline void mcuc_poly_put(int8_t *y, int32_t step, const int8_t *from, int32_t n)
{
  if ((n & 1) != 0) {
    memcpy(y, from, 4);
    from += 4;
    y += step;
  }
  for (n >>= 1; n > 0; --n) {
    memcpy(y, from, 4);
    memcpy(y + step, from + 4, 4);
    from += 8;
    y += 2 * step;
  }
}

/* Outputs of a piece, all channels. Scratch: the planes, and four channels of all turns' outputs.
 * x_offset: bytes from the call's rows to column `first`. */
MCUC_INLINED void mcuc_poly_outputs(const mcuc_depthwise_poly_params *p,
                                    const mcuc_window_call *call, int32_t size,
                                    mcuc_poly_inner inner, const mcuc_poly_piece *piece,
                                    int32_t x_offset, int8_t *y)
{
  const int32_t words = (size + 1) / 2; /* of a kernel row */
  int32_t *const planes = (int32_t *)call->scratch;
  int32_t *const rows = planes + (size - call->kernel_h) * 4 * MCUC_POLY_WORDS;
  const int32_t stride = p->stride, step = call->dst_step;
  const int32_t whole = 2 * stride; /* columns */
  const int32_t sums = piece->outputs / 2 + 1;
  const int32_t any = piece->end > piece->first && call->kernel_h > 0;
  mcuc_poly_source source;
  mcuc_poly_row row;
  int32_t left, next; /* channels */
  row.skip = (size - call->kernel_h) * MCUC_POLY_CODE(words, stride);
  row.lines = p->lines;
  row.out_offset = p->out_offset;
  row.skip_alone = (size - call->kernel_h) * MCUC_POLY_ALONE_CODE(words);
  row.alone = sums > 1 && sums % MCUC_POLY_TURN == 1;
  row.bytes = (sums == 1 ? 1 : (sums + 1) / MCUC_POLY_TURN) * 12 * stride;
  row.y = (int8_t *)(planes + size * 4 * MCUC_POLY_WORDS);
  row.x = planes + MCUC_POLY_X_ROW(size) * 4 * MCUC_POLY_WORDS;
  row.top = call->top;
  row.below = size - call->top - call->kernel_h;
  row.there = call->kernel_h * words * 4;
  row.word = mcuc_poly_word(p->in_zero, p->in_zero);
  source.rows = call->rows;
  source.end = call->rows + call->kernel_h;
  source.to = rows + piece->first / whole * stride;
  source.step = call->in_step;
  source.lead = piece->first % whole;
  source.columns = piece->end - piece->first;
  source.next =
      stride == 1 ? (source.lead + source.columns) / 2 : (source.lead + source.columns + 3) / 4 * 2;
  source.next = 4 * (4 * MCUC_POLY_WORDS - source.next);
  source.zeros = (int32_t)(((uint32_t)p->in_zero & 0xFFU) * 0x01010101U);
  source.second = mcuc_poly_word(0, p->in_zero);
  mcuc_poly_pad(piece, stride, call->kernel_h, row.word, rows);
  row.ends = p->ends;
  row.weights = p->weights;
  source.offset = x_offset;
  for (left = p->channels - 4;;) {
    row.last = row.ends + 4 * 4;
    if (any && stride == 1) {
      mcuc_poly_sort_1(&source);
    } else if (any) {
      mcuc_poly_sort_2(&source);
    }
    inner(&row, stride);
    mcuc_poly_put(y, step, row.y + 4, piece->outputs);
    if (left == 0) {
      return;
    }
    /* The last four may have been computed in part. */
    next = left < 4 ? left : 4;
    left -= next;
    row.ends += 4 * next;
    row.weights += next * size * words;
    source.offset += next;
    y += next;
  }
}

/* One output row. `size`: rows and columns of the kernel; `inner` computes with this size and the
 * layer's stride. */
MCUC_INLINED void mcuc_poly_run(const mcuc_depthwise_poly_params *p, const mcuc_window_call *call,
                                int32_t size, mcuc_poly_inner inner)
{
  const int32_t pieces = (call->n + MCUC_POLY_MOST(p->stride) - 1) / MCUC_POLY_MOST(p->stride);
  const int32_t most = (call->n + pieces - 1) / pieces;
  const int32_t origin = call->start < 0 ? 0 : call->start;
  int32_t done;
  for (done = 0; done < call->n; done += most) {
    const int32_t start = call->start + done * p->stride;
    int8_t *const y = (int8_t *)call->dst + done * call->dst_step;
    mcuc_poly_piece piece;
    int32_t i;
    piece.outputs = call->n - done < most ? call->n - done : most;
    piece.columns = (piece.outputs - 1) * p->stride + size;
    piece.first = start < 0 ? -start : 0;
    piece.first = piece.first < piece.columns ? piece.first : piece.columns;
    piece.end = call->in_w - start < piece.columns ? call->in_w - start : piece.columns;
    piece.end = piece.end > piece.first ? piece.end : piece.first;
    mcuc_poly_outputs(p, call, size, inner, &piece, (start + piece.first - origin) * call->in_step,
                      y);
    for (i = 0; i < piece.outputs; ++i) {
      mcuc_dsp_clamp(y + i * call->dst_step, p->channels, p->low, p->high);
    }
  }
}

#endif
