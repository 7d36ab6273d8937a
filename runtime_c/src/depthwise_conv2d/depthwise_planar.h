/* DEPTHWISE_CONV_2D of int8 channel by channel: what the kernels of 3x3, 5x5 and 7x7 windows share.
 *
 * The input rows of an output row are sorted into planes of one channel each, widened to int16, for
 * four channels at a time. In a plane the pixels of a channel lie one after another, so that SMLAD
 * takes two of them, and neighbouring outputs share them; padding is in it already. Rows are cut
 * where a plane is full.
 */
#ifndef MCUC_DEPTHWISE_PLANAR_H
#define MCUC_DEPTHWISE_PLANAR_H

#include "mcuc/dsp.h"
#include "mcuc/program.h"

/* Pixels of a plane's row. */
#define MCUC_PLANAR_PIXELS 32

/* Filled by mcuc/ops/depthwise_planar.py. `stream` has for each channel mcuc_dsp_scale, and for
 * each kernel row the weights as halves, the odd one in the last word, with the constant of a line
 * in place of the power where they are `lines`; or mcuc_mac_scale, and the weights as bytes up to a
 * whole word. */
typedef struct mcuc_depthwise_planar_params {
  const int32_t *stream;
  int32_t channels; /* at least 4 */
  int32_t stride;   /* horizontal, 1 or 2 */
  int32_t in_zero;  /* the input's zero point: what padding holds */
  int32_t lines;    /* 1: sums end as lines */
  int32_t out_offset;
  int32_t low, high; /* clamping range */
} mcuc_depthwise_planar_params;

/* What the inner loop reads; the assembly knows the order. */
typedef struct mcuc_planar_row {
  const int16_t *x;
  const int32_t *channel;
  int8_t *y;
  int32_t step;
  int32_t turns; /* of four outputs */
  int32_t out_offset;
  int32_t lines;
} mcuc_planar_row;

/* Outputs of four pixels `turns` times, from a plane with rows of MCUC_PLANAR_PIXELS. */
typedef void (*mcuc_planar_inner)(mcuc_planar_row *row, int32_t stride);

/* n outputs of a channel that the inner loop cannot do. */
typedef void (*mcuc_planar_rare)(const mcuc_planar_row *row, int32_t stride, int32_t n);

#if MCUC_DSP_ASM
/* Widens four columns of four channels into rows of four planes. */
static inline void mcuc_planar_four(int16_t *to, int32_t plane, const int8_t *x, int32_t step)
{
  const uint32_t a = mcuc_dsp_load(x), b = mcuc_dsp_load(x + step);
  const uint32_t c = mcuc_dsp_load(x + 2 * step), d = mcuc_dsp_load(x + 3 * step);
  const uint32_t ab = mcuc_dsp_pkhbt(a, b), cd = mcuc_dsp_pkhbt(c, d);
  const uint32_t ab2 = mcuc_dsp_pkhtb(b, a), cd2 = mcuc_dsp_pkhtb(d, c);
  mcuc_dsp_store(to, mcuc_dsp_sxtb16(ab));
  mcuc_dsp_store(to + 2, mcuc_dsp_sxtb16(cd));
  mcuc_dsp_store(to + plane, mcuc_dsp_sxtb16_ror8(ab));
  mcuc_dsp_store(to + plane + 2, mcuc_dsp_sxtb16_ror8(cd));
  mcuc_dsp_store(to + 2 * plane, mcuc_dsp_sxtb16(ab2));
  mcuc_dsp_store(to + 2 * plane + 2, mcuc_dsp_sxtb16(cd2));
  mcuc_dsp_store(to + 3 * plane, mcuc_dsp_sxtb16_ror8(ab2));
  mcuc_dsp_store(to + 3 * plane + 2, mcuc_dsp_sxtb16_ror8(cd2));
}
#endif

/* Widens n columns of four channels into rows of four planes. */
static inline void mcuc_planar_sort(int16_t *to, int32_t plane, const int8_t *x, int32_t step,
                                    int32_t n)
{
#if MCUC_DSP_ASM
  if (n >= 4) {
    for (; n > 4; n -= 4) {
      mcuc_planar_four(to, plane, x, step);
      to += 4;
      x += 4 * step;
    }
    mcuc_planar_four(to + (n - 4), plane, x + (n - 4) * step, step); /* some once more */
    return;
  }
#endif
  for (; n > 0; --n) {
    to[0] = x[0];
    to[plane] = x[1];
    to[2 * plane] = x[2];
    to[3 * plane] = x[3];
    to += 1;
    x += step;
  }
}

/* A piece of a row: the columns [first, end) of the planes that the map has. */
typedef struct mcuc_planar_piece {
  int32_t outputs;
  int32_t first, end;
} mcuc_planar_piece;

/* Columns [from, end) of padding in all four planes. */
static inline void mcuc_planar_zero(int16_t *to, int32_t plane, int32_t zero, int32_t from,
                                    int32_t end)
{
  for (; from < end; ++from) {
    to[from] = (int16_t)zero;
    to[plane + from] = (int16_t)zero;
    to[2 * plane + from] = (int16_t)zero;
    to[3 * plane + from] = (int16_t)zero;
  }
}

/* Fills what the planes have outside the map. It stays there: all channels are padded alike. */
static inline void mcuc_planar_pad(const mcuc_depthwise_planar_params *p, const mcuc_window_call *c,
                                   int32_t size, const mcuc_planar_piece *piece, int16_t *to)
{
  const int32_t plane = size * MCUC_PLANAR_PIXELS;
  const int32_t columns = (piece->outputs - 1) * p->stride + size;
  int32_t i;
  for (i = -c->top; i < size - c->top; ++i) {
    if (i < 0 || i >= c->kernel_h) {
      mcuc_planar_zero(to, plane, p->in_zero, 0, columns);
    } else {
      mcuc_planar_zero(to, plane, p->in_zero, 0, piece->first);
      mcuc_planar_zero(to, plane, p->in_zero, piece->end, columns);
    }
    to += MCUC_PLANAR_PIXELS;
  }
}

/* Fills what the planes have of channels c .. c + 3 of the map; x_offset: bytes from the call's
 * rows to column `first`, channel c. */
static inline void mcuc_planar_fill(const mcuc_window_call *c, int32_t size,
                                    const mcuc_planar_piece *piece, int32_t x_offset, int16_t *to)
{
  int32_t i;
  to += c->top * MCUC_PLANAR_PIXELS + piece->first;
  for (i = 0; i < c->kernel_h; ++i) {
    mcuc_planar_sort(to, size * MCUC_PLANAR_PIXELS, (const int8_t *)c->rows[i] + x_offset,
                     c->in_step, piece->end - piece->first);
    to += MCUC_PLANAR_PIXELS;
  }
}

/* Outputs n of one channel; the last turn repeats some if n is no multiple of four. */
MCUC_INLINED void mcuc_planar_channel(mcuc_planar_row *row, mcuc_planar_inner inner, int32_t stride,
                                      int32_t n)
{
  int8_t few[4];
  int8_t *const y = row->y;
  const int32_t step = row->step;
  int32_t i;
  if (n < 4) {
    row->y = few;
    row->step = 1;
    row->turns = 1;
    inner(row, stride);
    for (i = 0; i < n; ++i) {
      y[i * step] = few[i];
    }
    row->step = step;
    return;
  }
  row->turns = n >> 2;
  inner(row, stride);
  if ((n & 3) != 0) {
    row->x += (n - 4) * stride;
    row->y = y + (n - 4) * step;
    row->turns = 1;
    inner(row, stride);
  }
}

/* Outputs of a piece, all channels. */
MCUC_INLINED void mcuc_planar_outputs(const mcuc_depthwise_planar_params *p,
                                      const mcuc_window_call *call, int32_t size, int32_t words,
                                      mcuc_planar_inner inner, mcuc_planar_rare rare,
                                      const mcuc_planar_piece *piece, int32_t x_offset, int8_t *y)
{
  int16_t *const planes = (int16_t *)call->scratch;
  mcuc_planar_row row;
  int32_t next;
  row.step = call->dst_step;
  row.out_offset = p->out_offset;
  row.lines = p->lines;
  for (next = 0; next < p->channels; next += 4) {
    /* The last four may have been computed in part. */
    const int32_t c = next + 4 <= p->channels ? next : p->channels - 4;
    int32_t k;
    mcuc_planar_fill(call, size, piece, x_offset + c, planes);
    for (k = 0; k < 4; ++k) {
      row.x = planes + k * size * MCUC_PLANAR_PIXELS;
      row.channel = p->stream + (c + k) * words;
      row.y = y + c + k;
      if (rare != 0 && p->lines == 0 && row.channel[2] < 0) {
        rare(&row, p->stride, piece->outputs);
      } else {
        mcuc_planar_channel(&row, inner, p->stride, piece->outputs);
      }
    }
  }
}

/* One output row. `size`: rows and columns of the kernel; `inner` computes with this size and the
 * layer's stride, and `rare` if it is given where the third word of a channel is negative; `words`:
 * of a channel in the stream. */
MCUC_INLINED void mcuc_planar_run(const mcuc_depthwise_planar_params *p,
                                  const mcuc_window_call *call, int32_t size, int32_t words,
                                  mcuc_planar_inner inner, mcuc_planar_rare rare)
{
  const int32_t most = ((MCUC_PLANAR_PIXELS - size) / p->stride + 1) & ~3;
  const int32_t origin = call->start < 0 ? 0 : call->start;
  int32_t done;
  for (done = 0; done < call->n; done += most) {
    const int32_t start = call->start + done * p->stride;
    int8_t *const y = (int8_t *)call->dst + done * call->dst_step;
    mcuc_planar_piece piece;
    int32_t columns;
    piece.outputs = call->n - done < most ? call->n - done : most;
    columns = (piece.outputs - 1) * p->stride + size;
    piece.first = start < 0 ? -start : 0;
    piece.first = piece.first < columns ? piece.first : columns;
    piece.end = call->in_w - start < columns ? call->in_w - start : columns;
    piece.end = piece.end > piece.first ? piece.end : piece.first;
    mcuc_planar_pad(p, call, size, &piece, (int16_t *)call->scratch);
    mcuc_planar_outputs(p, call, size, words, inner, rare, &piece,
                        (start + piece.first - origin) * call->in_step, y);
    for (columns = 0; columns < piece.outputs; ++columns) {
      mcuc_dsp_clamp(y + columns * call->dst_step, p->channels, p->low, p->high);
    }
  }
}

#endif
