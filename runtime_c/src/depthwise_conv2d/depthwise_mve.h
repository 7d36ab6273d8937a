/* DEPTHWISE_CONV_2D of int8 by Helium: the record, and the planes that its rows are sorted
 * into. */
#ifndef MCUC_DEPTHWISE_MVE_H
#define MCUC_DEPTHWISE_MVE_H

#include "mcuc/mve_end.h"
#include "mcuc/program.h"

#define MCUC_DEPTHWISE_MVE_PLANE 256
#define MCUC_DEPTHWISE_MVE_CHANNELS 8

/* Filled by mcuc/ops/depthwise_mve.py. `stream` has for each channel bias, multiplier, constant and
 * left of mcuc_mve_scales, then its weights column by column, zeros filling columns up to `height`
 * and all up to whole vectors. */
typedef struct mcuc_depthwise_mve_params {
  const int32_t *stream;
  int32_t channels;
  int32_t height;  /* bytes of a column: 1, 2, 4 or 8 */
  int32_t vectors; /* of weights, 1 to 4 */
  int32_t kernel_h, kernel_w;
  int32_t stride_w;
  int32_t in_zero; /* the input's zero point: what padding holds */
  mcuc_mve_finish finish;
} mcuc_depthwise_mve_params;

/* A piece of an output row: columns [first, end) of its planes are in the map. */
typedef struct mcuc_depthwise_mve_piece {
  int32_t outputs;
  int32_t first, end;
} mcuc_depthwise_mve_piece;

/* Finds which of `width` columns, from column `start` of the map on, are in it. Returns the bytes
 * from the call's rows to the first of them. */
static inline int32_t mcuc_depthwise_mve_cut(const mcuc_window_call *c, int32_t start,
                                             int32_t width, mcuc_depthwise_mve_piece *piece)
{
  const int32_t origin = c->start < 0 ? 0 : c->start;
  piece->first = start < 0 ? -start : 0;
  piece->first = piece->first < width ? piece->first : width;
  piece->end = c->in_w - start < width ? c->in_w - start : width;
  piece->end = piece->end > piece->first ? piece->end : piece->first;
  return (start + piece->first - origin) * c->in_step;
}

#if MCUC_MVE

/* Sorts n pixels of eight channels of one row into the planes; `to`: first column, this row. */
static inline void mcuc_depthwise_mve_sort(int8_t *to, int32_t height, const int8_t *x,
                                           int32_t step, int32_t n)
{
  const uint16x8_t first = vmulq_n_u16(vidupq_n_u16(0, 1), MCUC_DEPTHWISE_MVE_PLANE);
  const uint16x8_t second = vaddq_n_u16(first, (uint16_t)height);
  for (; n >= 2; n -= 2) {
    vstrbq_scatter_offset_u16((uint8_t *)to, first, vldrbq_u16((const uint8_t *)x));
    x += step;
    vstrbq_scatter_offset_u16((uint8_t *)to, second, vldrbq_u16((const uint8_t *)x));
    x += step;
    to += 2 * height;
  }
  if (n > 0) {
    vstrbq_scatter_offset_u16((uint8_t *)to, first, vldrbq_u16((const uint8_t *)x));
  }
}

static inline void mcuc_depthwise_mve_fill(int8_t *to, int32_t value, int32_t n)
{
  for (; n > 0; n -= MCUC_MVE_BYTES) {
    vstrbq_s8(to, vdupq_n_s8((int8_t)value));
    to += MCUC_MVE_BYTES;
  }
}

#else

static inline void mcuc_depthwise_mve_sort(int8_t *to, int32_t height, const int8_t *x,
                                           int32_t step, int32_t n)
{
  for (; n > 0; --n) {
    int32_t c;
    for (c = 0; c < MCUC_DEPTHWISE_MVE_CHANNELS; ++c) {
      to[c * MCUC_DEPTHWISE_MVE_PLANE] = x[c];
    }
    to += height;
    x += step;
  }
}

static inline void mcuc_depthwise_mve_fill(int8_t *to, int32_t value, int32_t n)
{
  for (; n > 0; --n) {
    *to++ = (int8_t)value;
  }
}

#endif

/* Fills what the planes have outside the map, and what follows that, which comes later. Padding
 * stays there: all channels are padded alike. */
static inline void mcuc_depthwise_mve_pad(const mcuc_depthwise_mve_params *p,
                                          const mcuc_window_call *c,
                                          const mcuc_depthwise_mve_piece *piece, int32_t width)
{
  int8_t *plane = (int8_t *)c->scratch;
  int32_t k;
  if (c->kernel_h < p->kernel_h) {
    mcuc_depthwise_mve_fill(plane, p->in_zero,
                            MCUC_DEPTHWISE_MVE_PLANE * MCUC_DEPTHWISE_MVE_CHANNELS);
  } else if (piece->end - piece->first < width) {
    for (k = 0; k < MCUC_DEPTHWISE_MVE_CHANNELS; ++k) {
      mcuc_depthwise_mve_fill(plane, p->in_zero, piece->first * p->height);
      mcuc_depthwise_mve_fill(plane + piece->end * p->height, p->in_zero,
                              (width - piece->end) * p->height);
      plane += MCUC_DEPTHWISE_MVE_PLANE;
    }
  }
}

/* Sorts what the planes have of channels c .. c + 7 of the map; offset: bytes from the call's rows
 * to column `first`, channel c. */
static inline void mcuc_depthwise_mve_planes(const mcuc_depthwise_mve_params *p,
                                             const mcuc_window_call *c,
                                             const mcuc_depthwise_mve_piece *piece, int32_t offset)
{
  int8_t *to = (int8_t *)c->scratch + piece->first * p->height + c->top;
  int32_t i;
  for (i = 0; i < c->kernel_h; ++i) {
    mcuc_depthwise_mve_sort(to + i, p->height, (const int8_t *)c->rows[i] + offset, c->in_step,
                            piece->end - piece->first);
  }
}

#endif
