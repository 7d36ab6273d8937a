/* DEPTHWISE_CONV_2D of int8 on cores with the DSP extension, channel by channel: what the kernels
 * of 3x3, 5x5 and 7x7 windows share.
 *
 * The input rows of an output row are sorted into planes of one channel each, widened to int16, for
 * four channels at a time. In a plane the pixels of a channel lie one after another, so that SMLAD
 * takes two of them, and padding is in it already. Rows are cut where a plane is full.
 */
#ifndef MCUC_DEPTHWISE_PLANAR_H
#define MCUC_DEPTHWISE_PLANAR_H

#include "mcuc/dsp.h"
#include "mcuc/program.h"

/* Pixels of a plane's row. */
#define MCUC_PLANAR_PIXELS 32

/* Filled by mcuc/ops/depthwise_planar.py. `stream` has for each channel: bias; multiplier and power
 * of mcuc_dsp_scale; for each kernel row the weights as halves, the odd one in the last word. */
typedef struct mcuc_depthwise_planar_params {
  const int32_t *stream;
  int32_t channels; /* at least 4 */
  int32_t stride;   /* horizontal, 1 or 2 */
  int32_t in_zero;  /* the input's zero point: what padding holds */
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
} mcuc_planar_row;

/* Outputs of four pixels `turns` times, from a plane with rows of MCUC_PLANAR_PIXELS. */
typedef void (*mcuc_planar_inner)(mcuc_planar_row *row, int32_t stride);

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

/* Widens n columns of four channels into rows of four planes. */
static inline void mcuc_planar_sort(int16_t *to, int32_t plane, const int8_t *x, int32_t step,
                                    int32_t n)
{
  int32_t i;
  if (n >= 4) {
    for (i = n; i > 4; i -= 4) {
      mcuc_planar_four(to, plane, x, step);
      to += 4;
      x += 4 * step;
    }
    mcuc_planar_four(to + (i - 4), plane, x + (i - 4) * step, step); /* some once more */
    return;
  }
  for (; n > 0; --n) {
    for (i = 0; i < 4; ++i) {
      to[i * plane] = x[i];
    }
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

/* Outputs n of one channel in C, with any shift. */
__attribute__((noinline, unused)) static void mcuc_planar_plain(const mcuc_planar_row *row,
                                                                int32_t size, int32_t stride,
                                                                int32_t n)
{
  const int32_t *c = row->channel;
  const mcuc_dsp_scale scale = {0, c[1], c[2]};
  const int32_t words = (size + 1) / 2;
  int32_t k;
  for (k = 0; k < n; ++k) {
    int32_t acc = c[0];
    int32_t i;
    for (i = 0; i < size; ++i) {
      const int16_t *x = row->x + i * MCUC_PLANAR_PIXELS + k * stride;
      int32_t j;
      for (j = 0; j < size; ++j) {
        const int32_t w = c[3 + i * words + j / 2];
        acc += x[j] * (int16_t)(j % 2 == 0 ? w & 0xFFFF : (w >> 16) & 0xFFFF);
      }
    }
    row->y[k * row->step] = mcuc_dsp_requantize_rare(acc, &scale, row->out_offset);
  }
}

/* Outputs of a piece, all channels. */
MCUC_INLINED void mcuc_planar_outputs(const mcuc_depthwise_planar_params *p,
                                      const mcuc_window_call *call, int32_t size, int32_t words,
                                      mcuc_planar_inner inner, const mcuc_planar_piece *piece,
                                      int32_t x_offset, int8_t *y)
{
  int16_t *const planes = (int16_t *)call->scratch;
  mcuc_planar_row row;
  int32_t next;
  row.step = call->dst_step;
  row.out_offset = p->out_offset;
  for (next = 0; next < p->channels; next += 4) {
    /* The last four may have been computed in part. */
    const int32_t c = next + 4 <= p->channels ? next : p->channels - 4;
    int32_t k;
    mcuc_planar_fill(call, size, piece, x_offset + c, planes);
    for (k = 0; k < 4; ++k) {
      row.x = planes + k * size * MCUC_PLANAR_PIXELS;
      row.channel = p->stream + (c + k) * words;
      row.y = y + c + k;
      if (row.channel[2] < 0) {
        mcuc_planar_plain(&row, size, p->stride, piece->outputs);
      } else {
        mcuc_planar_channel(&row, inner, p->stride, piece->outputs);
      }
    }
  }
}

/* One output row. `size`: rows and columns of the kernel; `inner` computes with this size and the
 * layer's stride; `words`: of a channel in the stream. */
MCUC_INLINED void mcuc_planar_run(const mcuc_depthwise_planar_params *p,
                                  const mcuc_window_call *call, int32_t size, int32_t words,
                                  mcuc_planar_inner inner)
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
    mcuc_planar_outputs(p, call, size, words, inner, &piece,
                        (start + piece.first - origin) * call->in_step, y);
    for (columns = 0; columns < piece.outputs; ++columns) {
      mcuc_dsp_clamp(y + columns * call->dst_step, p->channels, p->low, p->high);
    }
  }
}

#if MCUC_DSP_ASM && defined(__GNUC__) && !defined(__clang__)

/* r0 row, r1 x, r2 channel, r3 y, r4 r5 r6 r8 accumulators, r9 r10 pixels, r7 r11 r12 lr weights.
 */
#define MCUC_PLANAR_X(t, i, k) "ldr " t ", [r1, #(" #i " * 64 + " #k " * 2)]\n\t"
#define MCUC_PLANAR_D(a, t, w) "smlad " a ", " t ", " w ", " a "\n\t"
#define MCUC_PLANAR_B(a, t, w) "smlabb " a ", " t ", " w ", " a "\n\t"
#define MCUC_PLANAR_T(a, t, w) "smlatb " a ", " t ", " w ", " a "\n\t"

/* mcuc_dsp_requantize */
#define MCUC_PLANAR_END(a)      \
  "smmlar " a ", " a ", r9, " a \
  "\n\t"                        \
  "add " a ", " a ", " a        \
  ", asr #31\n\t"               \
  "smmlar " a ", " a            \
  ", r10, r11\n\t"              \
  "ssat " a ", #8, " a "\n\t"

/* All turns; `bytes`: of x from turn to turn. */
#define MCUC_PLANAR_ASM(rows, bytes) \
  "push {r7}\n\t"                             \
  "ldmia r0, {r1, r2, r3}\n\t"                \
  "1:\n\t"                                    \
  "ldr r4, [r2]\n\t"                          \
  "mov r5, r4\n\t"                            \
  "mov r6, r4\n\t"                            \
  "mov r8, r4\n\t" rows                       \
  "ldrd r9, r10, [r2, #4]\n\t"                \
  "ldr r11, [r0, #20]\n\t"                    \
  MCUC_PLANAR_END("r4")                       \
  MCUC_PLANAR_END("r5")                       \
  MCUC_PLANAR_END("r6")                       \
  MCUC_PLANAR_END("r8")                       \
  "ldrd r12, lr, [r0, #12]\n\t"               \
  "adds r1, #" #bytes "\n\t"                  \
  "strb r4, [r3]\n\t"                         \
  "strb r5, [r3, r12]\n\t"                    \
  "add r3, r3, r12, lsl #1\n\t"               \
  "strb r6, [r3]\n\t"                         \
  "strb r8, [r3, r12]\n\t"                    \
  "add r3, r3, r12, lsl #1\n\t"               \
  "subs lr, lr, #1\n\t"                       \
  "str lr, [r0, #16]\n\t"                     \
  "bne 1b\n\t"                                \
  "pop {r7}\n\t"

#define MCUC_PLANAR_INNER(name, size, stride, rows, bytes)                                        \
  __attribute__((noinline)) static void name(mcuc_planar_row *row)                                \
  {                                                                                               \
    register mcuc_planar_row *r __asm__("r0") = row;                                              \
    __asm__ volatile(MCUC_PLANAR_ASM(rows, bytes)                                                 \
                     : "+r"(r)                                                                    \
                     :                                                                            \
                     : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", \
                       "cc", "memory");                                                           \
  }

#else

#define MCUC_PLANAR_INNER(name, size, stride, rows, bytes) \
  static void name(mcuc_planar_row *row)                   \
  {                                                        \
    mcuc_planar_plain(row, size, stride, 4 * row->turns);  \
  }

#endif

#endif
