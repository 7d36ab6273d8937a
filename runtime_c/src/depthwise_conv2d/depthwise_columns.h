/* DEPTHWISE_CONV_2D of int8 with three kernel rows on cores with the DSP extension: columns of the
 * three rows as words.
 *
 * For four channels at a time, a column of the map is eight words, two for each channel: its pixels
 * of rows 0 and 1 as halves, and that of row 2 in the low half. One LDRD fetches what a column adds
 * to all outputs that it touches, SMLAD multiplies rows 0 and 1. Padding is in the columns already;
 * rows are cut where the scratch is full.
 */
#ifndef MCUC_DEPTHWISE_COLUMNS_H
#define MCUC_DEPTHWISE_COLUMNS_H

#include "mcuc/dsp.h"
#include "mcuc/program.h"

/* Columns that scratch holds at most, and words of one; mcuc/ops/depthwise_columns.py. */
#define MCUC_COLUMNS 26
#define MCUC_COLUMN_WORDS 8

/* Words of a channel in the stream. */
#define MCUC_COLUMNS_STREAM 8

/* Filled by mcuc/ops/depthwise_columns.py. `stream` has for each channel of each kernel column the
 * weights of rows 0 and 1 as halves; of row 2 those of columns 0 and 1, and of column 2; then
 * mcuc_dsp_scale, with the constant of a line in place of the power where they are `lines`. */
typedef struct mcuc_depthwise_columns_params {
  const int32_t *stream;
  int32_t channels; /* at least 4 */
  int32_t stride;   /* horizontal, 1 or 2 */
  int32_t in_zero;  /* the input's zero point: what padding holds */
  int32_t lines;    /* 0, or 1 + the shift of lines: 2, or 0 with a stride of 1 */
  int32_t rare;     /* some channels are not shifted to the right by 2 or more */
  int32_t out_offset;
  int32_t low, high; /* clamping range */
} mcuc_depthwise_columns_params;

/* Outputs of four channels in a piece of a row: blocks of four pixels, then of two and of one. The
 * assembly knows the order. */
typedef struct mcuc_columns_block {
  const uint32_t *x;
  const int32_t *channel;
  int8_t *y;
  int32_t fours;
  int32_t two, one; /* whether there is such a block */
  int32_t out_offset;
  int32_t step;
  int32_t lines;
} mcuc_columns_block;

/* Three rows of four channels, n columns of them. */
typedef struct mcuc_columns_source {
  const int8_t *rows[3]; /* 0: padding */
  int32_t step, n;
  uint32_t padding; /* four channels of it */
} mcuc_columns_source;

#if MCUC_DSP_ASM && defined(__GNUC__) && !defined(__clang__)
#define MCUC_COLUMNS_ASM 1
#else
#define MCUC_COLUMNS_ASM 0
#endif

/* What a kernel row gives: four channels of column `at`, or padding where there is no row. */
static inline uint32_t mcuc_columns_at(const int8_t *row, int32_t at, uint32_t padding)
{
  return row == 0 ? padding : mcuc_dsp_load(row + at);
}

/* Sorts columns of which any row may be missing; `at`: bytes to the channels. */
static inline void mcuc_columns_sort_any(uint32_t *to, const mcuc_columns_source *from, int32_t at)
{
  int32_t i;
  for (i = 0; i < from->n; ++i) {
    const uint32_t a = mcuc_columns_at(from->rows[0], at, from->padding);
    const uint32_t b = mcuc_columns_at(from->rows[1], at, from->padding);
    const uint32_t c = mcuc_columns_at(from->rows[2], at, from->padding);
    const uint32_t a_even = mcuc_dsp_sxtb16(a), a_odd = mcuc_dsp_sxtb16_ror8(a);
    const uint32_t b_even = mcuc_dsp_sxtb16(b), b_odd = mcuc_dsp_sxtb16_ror8(b);
    to[0] = mcuc_dsp_pkhbt(a_even, b_even);
    to[1] = mcuc_dsp_sxtb16(c);
    to[2] = mcuc_dsp_pkhbt(a_odd, b_odd);
    to[3] = mcuc_dsp_sxtb16_ror8(c);
    to[4] = mcuc_dsp_pkhtb(b_even, a_even);
    to[5] = mcuc_dsp_sxtb16(c >> 16 | c << 16);
    to[6] = mcuc_dsp_pkhtb(b_odd, a_odd);
    to[7] = mcuc_dsp_sxtb16_ror8(c >> 16 | c << 16);
    to += MCUC_COLUMN_WORDS;
    at += from->step;
  }
}

#if MCUC_COLUMNS_ASM

/* r0 r1 r2 the ends of the rows, or padding; r3 bytes up to there, negative; r12 step, lr to. */
#define MCUC_COLUMNS_LOAD(a, row) "ldr " a ", [" row ", r3]\n\t"
#define MCUC_COLUMNS_SAME(a, row) "mov " a ", " row "\n\t"
#define MCUC_COLUMNS_END(from, k, at) \
  ((uint32_t)(from)->rows[k] + (uint32_t)((from)->n * (from)->step + (at)))
#define MCUC_COLUMNS_PAD(from, k, at) ((from)->padding)

#define MCUC_COLUMNS_SORT(name, first, first_at, last, last_at)                                    \
  __attribute__((noinline, unused)) static void name(uint32_t *to,                                 \
                                                     const mcuc_columns_source *from, int32_t at)  \
  {                                                                                                \
    register uint32_t r0 __asm__("r0") = first_at(from, 0, at);                                    \
    register uint32_t r1 __asm__("r1") = MCUC_COLUMNS_END(from, 1, at);                            \
    register uint32_t r2 __asm__("r2") = last_at(from, 2, at);                                     \
    register int32_t r3 __asm__("r3") = -from->n * from->step;                                     \
    register int32_t r12 __asm__("r12") = from->step;                                              \
    register uint32_t *lr __asm__("lr") = to;                                                      \
    __asm__ volatile("push {r7}\n\t"                                                             \
                     "1:\n\t" first("r4", "r0") MCUC_COLUMNS_LOAD("r10", "r1")                   \
                         last("r11", "r2") "adds r3, r3, r12\n\t"                                \
                     "sxtb16 r6, r4, ror #8\n\t"                                                 \
                     "sxtb16 r4, r4\n\t"                                                         \
                     "sxtb16 r7, r10, ror #8\n\t"                                                \
                     "sxtb16 r5, r10\n\t"                                                        \
                     "pkhtb r8, r5, r4, asr #16\n\t"                                             \
                     "pkhbt r4, r4, r5, lsl #16\n\t"                                             \
                     "pkhtb r10, r7, r6, asr #16\n\t"                                            \
                     "pkhbt r6, r6, r7, lsl #16\n\t"                                             \
                     "sxtb16 r5, r11\n\t"                                                        \
                     "sxtb16 r7, r11, ror #8\n\t"                                                \
                     "sxtb16 r9, r11, ror #16\n\t"                                               \
                     "sxtb16 r11, r11, ror #24\n\t"                                              \
                     "stmia lr!, {r4, r5, r6, r7, r8, r9, r10, r11}\n\t"                         \
                     "bne 1b\n\t"                                                                \
                     "pop {r7}\n\t"                                                              \
                     : "+r"(lr), "+r"(r3)                                                        \
                     : "r"(r0), "r"(r1), "r"(r2), "r"(r12)                                       \
                     : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "cc", "memory"); \
  }

MCUC_COLUMNS_SORT(mcuc_columns_sort_all, MCUC_COLUMNS_LOAD, MCUC_COLUMNS_END, MCUC_COLUMNS_LOAD,
                  MCUC_COLUMNS_END)
MCUC_COLUMNS_SORT(mcuc_columns_sort_lower, MCUC_COLUMNS_SAME, MCUC_COLUMNS_PAD, MCUC_COLUMNS_LOAD,
                  MCUC_COLUMNS_END)
MCUC_COLUMNS_SORT(mcuc_columns_sort_upper, MCUC_COLUMNS_LOAD, MCUC_COLUMNS_END, MCUC_COLUMNS_SAME,
                  MCUC_COLUMNS_PAD)

#endif

/* Sorts four channels of all columns, if there are any. */
static inline void mcuc_columns_sort(uint32_t *to, const mcuc_columns_source *from, int32_t at)
{
#if MCUC_COLUMNS_ASM
  if (from->n > 0 && from->rows[1] != 0) {
    if (from->rows[0] != 0 && from->rows[2] != 0) {
      mcuc_columns_sort_all(to, from, at);
      return;
    }
    if (from->rows[2] != 0) {
      mcuc_columns_sort_lower(to, from, at);
      return;
    }
    if (from->rows[0] != 0) {
      mcuc_columns_sort_upper(to, from, at);
      return;
    }
  }
#endif
  mcuc_columns_sort_any(to, from, at);
}

/* Columns [from, end) of padding. */
static inline void mcuc_columns_pad(uint32_t *to, int32_t from, int32_t end, int32_t zero)
{
  const uint32_t halves = ((uint32_t)zero & 0xFFFFU) | (uint32_t)zero << 16;
  int32_t i;
  for (i = MCUC_COLUMN_WORDS * from; i < MCUC_COLUMN_WORDS * end; ++i) {
    to[i] = halves;
  }
}

/* n outputs of channel k of a block in C, with any shift. */
__attribute__((noinline, unused)) static void mcuc_columns_plain(const mcuc_columns_block *block,
                                                                 int32_t k, int32_t stride,
                                                                 int32_t n)
{
  const int32_t *w = block->channel + k * MCUC_COLUMNS_STREAM;
  const mcuc_dsp_scale *scale = (const mcuc_dsp_scale *)(const void *)(w + 5);
  int32_t i;
  for (i = 0; i < n; ++i) {
    const uint32_t *x = block->x + i * stride * MCUC_COLUMN_WORDS + 2 * k;
    int32_t acc = scale->bias;
    acc = mcuc_dsp_smlad(x[0], (uint32_t)w[0], acc);
    acc = mcuc_dsp_smlabb(x[1], (uint32_t)w[3], acc);
    x += MCUC_COLUMN_WORDS;
    acc = mcuc_dsp_smlad(x[0], (uint32_t)w[1], acc);
    acc = mcuc_dsp_smlabb(x[1], (uint32_t)w[3] >> 16, acc);
    x += MCUC_COLUMN_WORDS;
    acc = mcuc_dsp_smlad(x[0], (uint32_t)w[2], acc);
    acc = mcuc_dsp_smlabb(x[1], (uint32_t)w[4], acc);
    block->y[i * block->step + k] =
        block->lines ? mcuc_dsp_line(acc, scale->multiplier, scale->power, block->lines - 1)
                     : mcuc_dsp_requantize_rare(acc, scale, block->out_offset);
  }
}

/* n outputs of four channels in C, or of those that have rare shifts if there are at least four. */
__attribute__((noinline, unused)) static void mcuc_columns_rare(
    const mcuc_depthwise_columns_params *p, const uint32_t *columns, int32_t first, int8_t *y,
    int32_t step, int32_t n)
{
  const int32_t *const channel = p->stream + MCUC_COLUMNS_STREAM * first;
  const mcuc_columns_block block = {columns, channel, y, 0, 0, 0, p->out_offset, step, p->lines};
  int32_t k;
  for (k = 0; k < 4; ++k) {
    if (n < 4 || channel[k * MCUC_COLUMNS_STREAM + 7] < 0) {
      mcuc_columns_plain(&block, k, p->stride, n);
    }
  }
}

#endif
