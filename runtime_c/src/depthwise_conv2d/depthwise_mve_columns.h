/* DEPTHWISE_CONV_2D of int8 by Helium, windows up to 8x8: the record, and the columns that its rows
 * are sorted into, four rows at a time. */
#ifndef MCUC_DEPTHWISE_MVE_COLUMNS_H
#define MCUC_DEPTHWISE_MVE_COLUMNS_H

#include "depthwise_conv2d/depthwise_mve.h"

#define MCUC_DEPTHWISE_MVE_ROWS 4
#define MCUC_DEPTHWISE_MVE_COLUMN 64 /* bytes: four rows of sixteen channels */

/* Filled by mcuc/ops/depthwise_mve.py. `stream` has for each channel bias, multiplier, left and
 * zero of mcuc_mve_round, and vectors of weights, in the order that its kernel states. */
typedef struct mcuc_depthwise_mve_columns {
  const int32_t *stream;
  int32_t channels;
  int32_t pairs;   /* up to 4x4; 1: vectors hold two windows, stride 1 */
  int32_t vectors; /* of weights */
  int32_t outputs; /* that scratch has columns for */
  int32_t area;    /* bytes from the columns of rows 0 to 3 to those of rows 4 to 7, if there are */
  int32_t kernel_h, kernel_w;
  int32_t stride_w;
  int32_t in_zero; /* the input's zero point: what padding holds */
  mcuc_mve_finish finish;
} mcuc_depthwise_mve_columns;

/* n outputs of channels [c, c + count) from columns x on; y: of channel c. */
typedef void (*mcuc_depthwise_mve_compute)(const mcuc_depthwise_mve_columns *p, int32_t c,
                                           int32_t count, const int8_t *x, int8_t *y,
                                           int32_t y_step, int32_t n);

#if MCUC_MVE

#define MCUC_DEPTHWISE_MVE_INTERLEAVE      \
  "vst40.8 {q0, q1, q2, q3}, [%[to]]\n\t"  \
  "vst41.8 {q0, q1, q2, q3}, [%[to]]\n\t"  \
  "vst42.8 {q0, q1, q2, q3}, [%[to]]\n\t"  \
  "vst43.8 {q0, q1, q2, q3}, [%[to]]!\n\t" \
  "le lr, 1b\n\t"

/* Sorts n > 0 columns of four rows of up to sixteen channels. By itself: it takes all registers. */
__attribute__((noinline)) static void mcuc_depthwise_mve_interleave_4(int8_t *to,
                                                                      const int8_t *const *rows,
                                                                      const int32_t *steps,
                                                                      int32_t n, int32_t channels)
{
  const int8_t *x0 = rows[0], *x1 = rows[1], *x2 = rows[2], *x3 = rows[3];
  __asm__ volatile(
      "vctp.8 %[channels]\n\t"
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vpstttt\n\t"
      "vldrbt.u8 q0, [%[x0]]\n\t"
      "vldrbt.u8 q1, [%[x1]]\n\t"
      "vldrbt.u8 q2, [%[x2]]\n\t"
      "vldrbt.u8 q3, [%[x3]]\n\t"
      "add %[x0], %[s0]\n\t"
      "add %[x1], %[s1]\n\t"
      "add %[x2], %[s2]\n\t"
      "add %[x3], %[s3]\n\t" MCUC_DEPTHWISE_MVE_INTERLEAVE
      : [to] "+r"(to), [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [x3] "+r"(x3)
      : [s0] "r"(steps[0]), [s1] "r"(steps[1]), [s2] "r"(steps[2]), [s3] "r"(steps[3]), [n] "r"(n),
        [channels] "r"(channels)
      : "lr", "cc", "memory", "q0", "q1", "q2", "q3");
}

/* Sorts n > 0 columns of up to sixteen channels; rows: the first `height` of four, or all. */
static inline void mcuc_depthwise_mve_interleave(int8_t *to, const int8_t *const *rows,
                                                 const int32_t *steps, int32_t height, int32_t n,
                                                 int32_t channels)
{
  const int8_t *x0 = rows[0], *x1 = rows[1], *x2 = rows[2];
  if (height <= 3) {
    __asm__ volatile(
        "vctp.8 %[channels]\n\t"
        "dls lr, %[n]\n\t"
        "1:\n\t"
        "vpsttt\n\t"
        "vldrbt.u8 q0, [%[x0]]\n\t"
        "vldrbt.u8 q1, [%[x1]]\n\t"
        "vldrbt.u8 q2, [%[x2]]\n\t"
        "add %[x0], %[s0]\n\t"
        "add %[x1], %[s1]\n\t"
        "add %[x2], %[s2]\n\t" MCUC_DEPTHWISE_MVE_INTERLEAVE
        : [to] "+r"(to), [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2)
        : [s0] "r"(steps[0]), [s1] "r"(steps[1]), [s2] "r"(steps[2]), [n] "r"(n),
          [channels] "r"(channels)
        : "lr", "cc", "memory", "q0", "q1", "q2", "q3");
  } else {
    mcuc_depthwise_mve_interleave_4(to, rows, steps, n, channels);
  }
}

#else

static inline void mcuc_depthwise_mve_interleave(int8_t *to, const int8_t *const *rows,
                                                 const int32_t *steps, int32_t height, int32_t n,
                                                 int32_t channels)
{
  int32_t i, k, x;
  for (x = 0; x < n; ++x) {
    for (i = 0; i < height && i < MCUC_DEPTHWISE_MVE_ROWS; ++i) {
      for (k = 0; k < channels; ++k) {
        to[4 * k + i] = rows[i][x * steps[i] + k];
      }
    }
    to += MCUC_DEPTHWISE_MVE_COLUMN;
  }
}

#endif

/* A piece of an output row, all channels; offset: bytes from the call's rows to the first column
 * that is in the map; some: rows that are sorted, 4 or 8. */
MCUC_INLINED void mcuc_depthwise_mve_blocks_of(const mcuc_depthwise_mve_columns *p,
                                               const mcuc_window_call *call,
                                               const mcuc_depthwise_mve_piece *piece,
                                               int32_t offset, int8_t *y, int32_t some,
                                               mcuc_depthwise_mve_compute compute)
{
  int8_t *const columns = (int8_t *)call->scratch + piece->first * MCUC_DEPTHWISE_MVE_COLUMN;
  const int32_t n = piece->end - piece->first;
  const int8_t *rows[2 * MCUC_DEPTHWISE_MVE_ROWS];
  int32_t steps[2 * MCUC_DEPTHWISE_MVE_ROWS], moves[2 * MCUC_DEPTHWISE_MVE_ROWS];
  int8_t padding[MCUC_MVE_BYTES];
  int32_t i, c, move, count;
  mcuc_depthwise_mve_fill(padding, p->in_zero, MCUC_MVE_BYTES);
  for (i = 0; i < some; ++i) {
    const int32_t at = i - call->top;
    const int32_t there = at >= 0 && at < call->kernel_h;
    rows[i] = there ? (const int8_t *)call->rows[at] + offset : padding;
    steps[i] = there ? call->in_step : 0;
    moves[i] = there ? -1 : 0;
  }
  count = p->channels < MCUC_MVE_BYTES ? p->channels : MCUC_MVE_BYTES;
  for (c = 0;; c += move) {
    if (n > 0) {
      for (i = 0; i < some; i += MCUC_DEPTHWISE_MVE_ROWS) {
        mcuc_depthwise_mve_interleave(columns + (i > 0 ? p->area : 0), rows + i, steps + i,
                                      p->kernel_h - i, n, count);
      }
    }
    compute(p, c, count, (const int8_t *)call->scratch, y + c, call->dst_step, piece->outputs);
    /* The last ones may have been computed in part. */
    move = p->channels - c - count;
    if (move == 0) {
      return;
    }
    move = move < MCUC_MVE_BYTES ? move : MCUC_MVE_BYTES;
    for (i = 0; i < some; ++i) {
      rows[i] += moves[i] & move;
    }
  }
}

/* A call of a kernel that computes blocks of sixteen channels by `compute`; some: as above. */
MCUC_INLINED void mcuc_depthwise_mve_run_columns(const mcuc_depthwise_mve_columns *p,
                                                 const mcuc_window_call *c, int32_t some,
                                                 mcuc_depthwise_mve_compute compute)
{
  const int32_t size = MCUC_DEPTHWISE_MVE_COLUMN;
  int8_t *const columns = (int8_t *)c->scratch;
  int32_t done, i;
  for (done = 0; done < c->n; done += p->outputs) {
    int8_t *const y = (int8_t *)c->dst + done * c->dst_step;
    mcuc_depthwise_mve_piece piece;
    int32_t offset, width;
    piece.outputs = c->n - done < p->outputs ? c->n - done : p->outputs;
    width = (piece.outputs - 1) * p->stride_w + p->kernel_w;
    offset = mcuc_depthwise_mve_cut(c, c->start + done * p->stride_w, width, &piece);
    for (i = 0; i < some; i += MCUC_DEPTHWISE_MVE_ROWS) {
      int8_t *const area = columns + (i > 0 ? p->area : 0);
      mcuc_depthwise_mve_fill(area, p->in_zero, piece.first * size);
      mcuc_depthwise_mve_fill(area + piece.end * size, p->in_zero, (width - piece.end) * size);
    }
    mcuc_depthwise_mve_blocks_of(p, c, &piece, offset, y, some, compute);
    for (i = 0; i < piece.outputs; ++i) {
      mcuc_dsp_clamp(y + i * c->dst_step, p->channels, p->finish.low, p->finish.high);
    }
  }
}

#endif
