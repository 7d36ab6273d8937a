/* DEPTHWISE_CONV_2D of int8 as products of polynomials: what its kernels are given.
 *
 * Two neighbouring pixels are one word a + b X, X = 2^21, two neighbouring taps one word v + u X.
 * The product holds a v, a u + b v and b u, each a part of an output, so that one SMLAL takes four
 * products; the sum of 64 bits has three fields of 21 bits. mcuc/ops/depthwise_poly.py proves that
 * the fields hold their sums. With a stride of 2 even and odd columns are polynomials of their own.
 *
 * As in depthwise_planar.h rows are sorted into planes of a channel, four at a time. A row of the
 * planes has one channel after the other.
 */
#ifndef MCUC_DEPTHWISE_POLY_H
#define MCUC_DEPTHWISE_POLY_H

#include "mcuc/dsp.h"
#include "mcuc/program.h"

/* Words of a channel's row. */
#define MCUC_POLY_WORDS 16

/* A turn computes three sums, each of two outputs; a sum that is left goes alone. The first output
 * is the one before the row, and one behind its end may come as well. */
#define MCUC_POLY_TURN 3

/* Outputs of a piece of a row that fits the planes: thirteen sums with a stride of 1, seven with
 * one of 2. */
#define MCUC_POLY_MOST(stride) (24 / (stride) + 1)

/* Filled by mcuc/ops/depthwise_poly.py. */
typedef struct mcuc_depthwise_poly_params {
  const int32_t *ends; /* four words of each channel: multiplier, power or constant, and with what
                          sums start, the low word first */
  const int32_t *weights; /* words of each channel, kernel row by kernel row */
  int32_t channels;       /* at least 4 */
  int32_t stride;         /* horizontal, 1 or 2 */
  int32_t in_zero;        /* the input's zero point: what padding holds */
  int32_t lines;          /* 0, or 1 + the shift of lines: 0 or 2 */
  int32_t out_offset;
  int32_t low, high; /* clamping range */
} mcuc_depthwise_poly_params;

/* Rows to be sorted; the assembly knows the order. */
typedef struct mcuc_poly_source {
  const void *const *rows;
  const void *const *end; /* of rows */
  int32_t *to;            /* where the first of the columns that are there goes */
  int32_t step;           /* from column to column */
  int32_t lead;           /* columns of a whole word, or two with a stride of 2, that come before */
  int32_t columns;        /* that are there */
  int32_t offset;         /* bytes to the first of them */
  int32_t next;           /* bytes from behind the last whole words to the next row */
  int32_t zeros;          /* four bytes of padding */
  int32_t second;         /* padding as the second pixel of a word */
} mcuc_poly_source;

/* Four channels of a piece of a row; the assembly knows the order. */
typedef struct mcuc_poly_row {
  int32_t skip; /* bytes of code of kernel rows that are not there */
  int32_t lines;
  int32_t out_offset;
  int32_t bytes; /* of the planes, all turns */
  const int32_t *last;
  const int32_t *ends; /* up to `last` */
  const int32_t *weights;
  int8_t *y;          /* four channels of each output */
  const int32_t *x;   /* planes; kernel rows that are there are the last ones */
  int32_t top, below; /* kernel rows that are not there */
  int32_t there;      /* bytes of weights of those that are */
  int32_t word;       /* two pixels of padding */
  int32_t skip_alone; /* as `skip`, of a sum alone */
  int32_t alone;      /* 1: a sum is left after the turns */
} mcuc_poly_row;

#endif
