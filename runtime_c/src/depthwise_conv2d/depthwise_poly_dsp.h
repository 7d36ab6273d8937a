/* DEPTHWISE_CONV_2D of int8 as products of polynomials: the inner loop. */
#ifndef MCUC_DEPTHWISE_POLY_DSP_H
#define MCUC_DEPTHWISE_POLY_DSP_H

#include "depthwise_conv2d/depthwise_poly_sort.h"

/* What sums hold beyond the accumulators, so that fields are not negative. */
#define MCUC_POLY_ABOVE ((int32_t)1 << 20)

/* The row of the planes that x points to, so that all are within reach of an LDRD and an LDR. */
#define MCUC_POLY_X_ROW(size) ((size) == 7 ? 3 : 1)

/* Bytes of code of a kernel row: three SMLAL for each of its words, one LDM and the pixels. */
#define MCUC_POLY_CODE(words, stride) (4 * (3 * (words) + 3 + (stride)))

#if MCUC_POLY_HAS_ASM

/* clang-format off */

/* r2 weights, r9 x; sums r4 r5, r6 r7, r8 r1; weights r10 r11 r12 lr; pixels r0 r3. i: the kernel
 * row, from the one that x is at. */
#define MCUC_POLY_X2(i, k) "ldrd r0, r3, [r9, #((" #i ") * 256 + " #k " * 4)]\n\t"
#define MCUC_POLY_X1(i, k) "ldr.w r0, [r9, #((" #i ") * 256 + " #k " * 4)]\n\t"
#define MCUC_POLY_A(x, w) "smlal r4, r5, " x ", " w "\n\t"
#define MCUC_POLY_B(x, w) "smlal r6, r7, " x ", " w "\n\t"
#define MCUC_POLY_C(x, w) "smlal r8, r1, " x ", " w "\n\t"

/* mcuc_dsp_requantize; `at`: where it goes */
#define MCUC_POLY_ROUND(acc, at)                  \
  "sub " acc ", " acc ", #0x100000\n\t"           \
  "smmlar " acc ", " acc ", r10, " acc "\n\t"     \
  "add " acc ", " acc ", " acc ", asr #31\n\t"    \
  "smmlar " acc ", " acc ", r11, r0\n\t"          \
  "ssat " acc ", #8, " acc "\n\t"                 \
  "strb " acc ", " at "\n\t"

/* mcuc_dsp_line */
#define MCUC_POLY_LINE(acc, at, shift)            \
  "smmla " acc ", " acc ", r10, r11\n\t"          \
  "ssat " acc ", #8, " acc shift "\n\t"           \
  "strb " acc ", " at "\n\t"
#define MCUC_POLY_LINE_0(acc, at) MCUC_POLY_LINE(acc, at, "")
#define MCUC_POLY_LINE_2(acc, at) MCUC_POLY_LINE(acc, at, ", asr #2")

/* An odd output, from the first field of a sum and the last one of the sum before it, and an even
 * one, from the second field. */
#define MCUC_POLY_ODD(low, before)                \
  "ubfx r12, " low ", #0, #21\n\t"                \
  "add r12, r12, " before ", asr #10\n\t"
#define MCUC_POLY_EVEN(low, high)                 \
  "lsr.w " low ", " low ", #21\n\t"               \
  "bfi " low ", " high ", #11, #10\n\t"

/* Six outputs, and the next turn; `more`: once r0 is free. */
#define MCUC_POLY_ENDS(end, more, bytes)          \
  MCUC_POLY_ODD("r4", "r0") more                  \
  end("r12", "[r3], #24")                         \
  MCUC_POLY_EVEN("r4", "r5")                      \
  end("r4", "[r3, #-20]")                         \
  MCUC_POLY_ODD("r6", "r5")                       \
  end("r12", "[r3, #-16]")                        \
  MCUC_POLY_EVEN("r6", "r7")                      \
  end("r6", "[r3, #-12]")                         \
  MCUC_POLY_ODD("r8", "r7")                       \
  end("r12", "[r3, #-8]")                         \
  MCUC_POLY_EVEN("r8", "r1")                      \
  end("r8", "[r3, #-4]")                          \
  "stm sp, {r1, r2, r3}\n\t"                      \
  "add r9, r9, #" #bytes "\n\t"                   \
  "cmp r9, lr\n\t"                                \
  "bne 2b\n\t"

/* r10 kernel rows of padding r1, with weights from `w` on. */
#define MCUC_POLY_ABSENT(count, w, more)          \
  "cmp " count ", #0\n\t"                         \
  "beq 8f\n\t"                                    \
  "7:\n\t"                                        \
  "ldrd r12, lr, [" w "], #8\n\t"                 \
  "smlal r7, r8, r12, r1\n\t"                     \
  "smlal r7, r8, lr, r1\n\t" more(w)              \
  "subs " count ", " count ", #1\n\t"             \
  "bne 7b\n\t"                                    \
  "8:\n\t"
#define MCUC_POLY_MORE_5(w)                       \
  "ldr r12, [" w "], #4\n\t"                      \
  "smlal r7, r8, r12, r1\n\t"
#define MCUC_POLY_MORE_7(w)                       \
  "ldrd r12, lr, [" w "], #8\n\t"                 \
  "smlal r7, r8, r12, r1\n\t"                     \
  "smlal r7, r8, lr, r1\n\t"

/* Four channels. all: kernel rows; bytes: of x from turn to turn. The stack, from its pointer on:
 * high half of the last sum, weights, y, multiplier, power or constant, end of x, what sums start
 * with (2), and the members of the row; r7. */
#define MCUC_POLY_ASM(size, more, all, bytes)     \
  ".balign 4\n\t" /* ADR counts from a whole word, also with -Os */ \
  "push {r7}\n\t"                                 \
  "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, lr}\n\t" \
  "adr.w r0, 3f\n\t"                              \
  "add r1, r1, r0\n\t"                            \
  "orr r1, r1, #1\n\t"                            \
  "adr.w r0, 4f\n\t"                              \
  "cmp r2, #1\n\t"                                \
  "blt 1f\n\t"                                    \
  "adr.w r0, 5f\n\t"                              \
  "beq 1f\n\t"                                    \
  "adr.w r0, 6f\n\t"                              \
  "1:\n\t"                                        \
  "orr r2, r0, #1\n\t"                            \
  "push {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, lr}\n\t" \
  "sub sp, #32\n\t"                               \
  "1:\n\t"                                        \
  "add r12, sp, #52\n\t"                          \
  "ldm r12, {r0, r2, r3, r9}\n\t"                 \
  "ldr r6, [sp, #44]\n\t"                         \
  "ldm r0!, {r4, r5, r7, r8}\n\t"                 \
  "add r6, r6, r9\n\t"                            \
  "add r10, r2, #(" #size " * (" #size " + 1) / 2 * 4)\n\t" \
  "add r11, r3, #1\n\t"                           \
  "add lr, r9, #64\n\t"                           \
  "stm r12, {r0, r10, r11, lr}\n\t"               \
  "ldrd r10, r11, [sp, #68]\n\t"                  \
  "orrs r12, r10, r11\n\t"                        \
  "beq 9f\n\t"                                    \
  "ldr r1, [sp, #80]\n\t"                         \
  MCUC_POLY_ABSENT("r10", "r2", more)             \
  "ldr r10, [sp, #76]\n\t"                        \
  "add r10, r10, r2\n\t"                          \
  MCUC_POLY_ABSENT("r11", "r10", more)            \
  "9:\n\t"                                        \
  "stm sp, {r1, r2, r3, r4, r5, r6, r7, r8}\n\t"  \
  "2:\n\t"                                        \
  "ldrd r4, r5, [sp, #24]\n\t"                    \
  "ldrd r6, r7, [sp, #24]\n\t"                    \
  "ldrd r8, r1, [sp, #24]\n\t"                    \
  "ldr pc, [sp, #32]\n\t"                         \
  ".balign 4\n\t"                                 \
  "3:\n\t" all                                    \
  "ldm sp, {r0, r2, r3, r10, r11, lr}\n\t"        \
  "ldr pc, [sp, #36]\n\t"                         \
  ".balign 4\n\t"                                 \
  "4:\n\t"                                        \
  MCUC_POLY_ENDS(MCUC_POLY_ROUND, "ldr r0, [sp, #40]\n\t", bytes) \
  "b 7f\n\t"                                      \
  ".balign 4\n\t"                                 \
  "5:\n\t"                                        \
  MCUC_POLY_ENDS(MCUC_POLY_LINE_0, "", bytes)     \
  "b 7f\n\t"                                      \
  ".balign 4\n\t"                                 \
  "6:\n\t"                                        \
  MCUC_POLY_ENDS(MCUC_POLY_LINE_2, "", bytes)     \
  "7:\n\t"                                        \
  "ldrd r0, r1, [sp, #48]\n\t"                    \
  "cmp r0, r1\n\t"                                \
  "bne 1b\n\t"                                    \
  "ldr r7, [sp, #84]\n\t"                         \
  "add sp, #88\n\t"

/* clang-format on */

#define MCUC_POLY_INNER(name, size, stride, all, bytes)                                           \
  __attribute__((noinline)) static void name(const mcuc_poly_row *row)                            \
  {                                                                                               \
    register const mcuc_poly_row *r0 __asm__("r0") = row;                                         \
    __asm__ volatile(MCUC_POLY_ASM(size, MCUC_POLY_MORE_##size, all, bytes)                       \
                     : "+r"(r0)                                                                   \
                     :                                                                            \
                     : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", \
                       "cc", "memory");                                                           \
  }

#else

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
static inline void mcuc_poly_plain(const mcuc_poly_row *row, int32_t size, int32_t stride,
                                   int32_t bytes)
{
  const int32_t words = (size + 1) / 2;
  const int32_t rows = row->there / (4 * words);
  int32_t channel;
  for (channel = 0; channel < 4; ++channel) {
    const int32_t *ends = row->ends + 4 * channel;
    const int32_t *x = row->x + (size - rows - MCUC_POLY_X_ROW(size)) * 4 * MCUC_POLY_WORDS;
    int32_t before = 0;
    int32_t n;
    for (n = 0; n < MCUC_POLY_TURN / 2 * row->bytes / bytes; ++n) {
      const uint64_t sum = mcuc_poly_sum(row, ends, x + channel * MCUC_POLY_WORDS + n * stride,
                                         row->weights + channel * size * words, words, stride);
      int8_t *y = row->y + 8 * n + channel;
      y[0] = mcuc_poly_end((int32_t)(sum & 0x1FFFFFU) + before, row, ends);
      y[4] = mcuc_poly_end((int32_t)((sum >> 21) & 0x1FFFFFU), row, ends);
      before = (int32_t)((int64_t)sum >> 42);
    }
  }
}

#define MCUC_POLY_INNER(name, size, stride, all, bytes) \
  static void name(const mcuc_poly_row *row)            \
  {                                                     \
    mcuc_poly_plain(row, size, stride, bytes);          \
  }

#endif

#endif
