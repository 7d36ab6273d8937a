/* DEPTHWISE_CONV_2D of int8 as products of polynomials: how rows are sorted. */
#ifndef MCUC_DEPTHWISE_POLY_SORT_H
#define MCUC_DEPTHWISE_POLY_SORT_H

#include "depthwise_conv2d/depthwise_poly.h"

/* Pixels a and b of a channel as a + (b + 128) X: what the second one has too much is in what sums
 * start with. */
static inline int32_t mcuc_poly_word(int32_t a, int32_t b)
{
  return a + (b + 128) * ((int32_t)1 << 21);
}

/* All registers but the stack pointer: more than clang hands out. */
#if MCUC_DSP_ASM && defined(__GNUC__) && !defined(__clang__)
#define MCUC_POLY_HAS_ASM 1

/* clang-format off */

/* r0 source, r1 x, r2 step, r3 columns, r7 to, r11 mask of second pixels, r12 rows, lr 3 steps.
 * A byte of a, and one of b with its sign flipped, as a word. */
#define MCUC_POLY_0(to, a, b) "and " to ", r11, " b ", lsl #21\n\tsxtab " to ", " to ", " a "\n\t"
#define MCUC_POLY_1(to, a, b) "and " to ", r11, " b ", lsl #13\n\tsxtab " to ", " to ", " a ", ror #8\n\t"
#define MCUC_POLY_2(to, a, b) "and " to ", r11, " b ", lsl #5\n\tsxtab " to ", " to ", " a ", ror #16\n\t"
#define MCUC_POLY_3(to, a, b) "and " to ", r11, " b ", lsr #3\n\tsxtab " to ", " to ", " a ", ror #24\n\t"
#define MCUC_POLY_FLIP(b) "eor " b ", " b ", #0x80808080\n\t"

/* A word of each plane. */
#define MCUC_POLY_SINGLE(a, b)                    \
  MCUC_POLY_1("r9", a, b) "str r9, [r7, #64]\n\t"  \
  MCUC_POLY_2("r9", a, b) "str r9, [r7, #128]\n\t" \
  MCUC_POLY_3("r9", a, b) "str r9, [r7, #192]\n\t" \
  MCUC_POLY_0("r9", a, b) "str r9, [r7], #4\n\t"

/* Two words of each plane. */
#define MCUC_POLY_DOUBLE(a, b, c, d)              \
  MCUC_POLY_1("r9", a, b) MCUC_POLY_1("r10", c, d) "strd r9, r10, [r7, #64]\n\t"  \
  MCUC_POLY_2("r9", a, b) MCUC_POLY_2("r10", c, d) "strd r9, r10, [r7, #128]\n\t" \
  MCUC_POLY_3("r9", a, b) MCUC_POLY_3("r10", c, d) "strd r9, r10, [r7, #192]\n\t" \
  MCUC_POLY_0("r9", a, b) MCUC_POLY_0("r10", c, d) "strd r9, r10, [r7], #8\n\t"

/* Four columns. */
#define MCUC_POLY_LOAD                            \
  "ldr r4, [r1]\n\t"                              \
  "ldr r5, [r1, r2]\n\t"                          \
  "ldr r6, [r1, r2, lsl #1]\n\t"                  \
  "ldr r8, [r1, lr]\n\t"                          \
  "add r1, r1, r2, lsl #2\n\t"

/* All rows; `one`: a row. */
#define MCUC_POLY_ROWS(one)                       \
  "push {r7}\n\t"                                 \
  "ldr r12, [r0]\n\t"                             \
  "ldrd r7, r2, [r0, #8]\n\t"                     \
  "add lr, r2, r2, lsl #1\n\t"                    \
  "mov r11, #0x1FE00000\n\t"                      \
  "1:\n\t"                                        \
  "ldr r1, [r12], #4\n\t"                         \
  "ldrd r3, r4, [r0, #20]\n\t"                    \
  "add r1, r1, r4\n\t" one                        \
  "ldr r3, [r0, #28]\n\t"                         \
  "ldr r4, [r0, #4]\n\t"                          \
  "add r7, r7, r3\n\t"                            \
  "cmp r12, r4\n\t"                               \
  "bne 1b\n\t"                                    \
  "pop {r7}\n\t"

/* Neighbours are a word; those of a column that has none are padding. */
#define MCUC_POLY_ROW_1                           \
  "ldr r4, [r0, #16]\n\t"                         \
  "cbz r4, 2f\n\t"                                \
  "ldr r5, [r1]\n\t"                              \
  "ldr r4, [r0, #32]\n\t"                         \
  "add r1, r1, r2\n\t"                            \
  "sub r3, r3, #1\n\t"                            \
  MCUC_POLY_FLIP("r5")                            \
  MCUC_POLY_SINGLE("r4", "r5")                    \
  "2:\n\t"                                        \
  "subs r3, r3, #4\n\t"                           \
  "blt 4f\n\t"                                    \
  "3:\n\t"                                        \
  MCUC_POLY_LOAD                                  \
  MCUC_POLY_FLIP("r5")                            \
  MCUC_POLY_FLIP("r8")                            \
  MCUC_POLY_DOUBLE("r4", "r5", "r6", "r8")        \
  "subs r3, r3, #4\n\t"                           \
  "bge 3b\n\t"                                    \
  "4:\n\t"                                        \
  "lsls r3, r3, #31\n\t" /* carry: two columns are left; negative: one is */ \
  "bcc 5f\n\t"                                    \
  "ldr r4, [r1]\n\t"                              \
  "ldr r5, [r1, r2]\n\t"                          \
  "add r1, r1, r2, lsl #1\n\t"                    \
  MCUC_POLY_FLIP("r5")                            \
  MCUC_POLY_SINGLE("r4", "r5")                    \
  "5:\n\t"                                        \
  "bpl 6f\n\t"                                    \
  "ldr r4, [r1]\n\t"                              \
  "ldr r5, [r0, #36]\n\t"                         \
  "sxtab r9, r5, r4\n\tstr r9, [r7]\n\t"         \
  "sxtab r9, r5, r4, ror #8\n\tstr r9, [r7, #64]\n\t" \
  "sxtab r9, r5, r4, ror #16\n\tstr r9, [r7, #128]\n\t" \
  "sxtab r9, r5, r4, ror #24\n\tstr r9, [r7, #192]\n\t" \
  "6:\n\t"

/* Column r10 of those that are there, if it is, and the next one. */
#define MCUC_POLY_IF(a)                           \
  "cmp r10, r3\n\t"                               \
  "itt lo\n\t"                                    \
  "ldrlo " a ", [r1]\n\t"                         \
  "addlo r1, r1, r2\n\t"                          \
  "add r10, r10, #1\n\t"

/* Columns from r10 on. */
#define MCUC_POLY_EDGE                            \
  "ldr r4, [r0, #32]\n\t"                         \
  "mov r5, r4\n\t"                                \
  "mov r6, r4\n\t"                                \
  "mov r8, r4\n\t"                                \
  MCUC_POLY_IF("r4")                              \
  MCUC_POLY_IF("r5")                              \
  MCUC_POLY_IF("r6")                              \
  MCUC_POLY_IF("r8")                              \
  "sub r3, r3, r10\n\t"                           \
  MCUC_POLY_FLIP("r6")                            \
  MCUC_POLY_FLIP("r8")                            \
  MCUC_POLY_DOUBLE("r4", "r6", "r5", "r8")

/* Every other column is a word. */
#define MCUC_POLY_ROW_2                           \
  "ldr r4, [r0, #16]\n\t"                         \
  "rsbs r10, r4, #0\n\t"                          \
  "beq 2f\n\t"                                    \
  MCUC_POLY_EDGE                                  \
  "2:\n\t"                                        \
  "subs r3, r3, #4\n\t"                           \
  "blt 4f\n\t"                                    \
  "3:\n\t"                                        \
  MCUC_POLY_LOAD                                  \
  MCUC_POLY_FLIP("r6")                            \
  MCUC_POLY_FLIP("r8")                            \
  MCUC_POLY_DOUBLE("r4", "r6", "r5", "r8")        \
  "subs r3, r3, #4\n\t"                           \
  "bge 3b\n\t"                                    \
  "4:\n\t"                                        \
  "adds r3, r3, #4\n\t"                           \
  "ble 5f\n\t"                                    \
  "mov r10, #0\n\t"                               \
  MCUC_POLY_EDGE                                  \
  "5:\n\t"

/* clang-format on */

#define MCUC_POLY_SORT(name, stride, one)                                                         \
  __attribute__((noinline, unused)) static void name(const mcuc_poly_source *source)              \
  {                                                                                               \
    register const mcuc_poly_source *r0 __asm__("r0") = source;                                   \
    __asm__ volatile(MCUC_POLY_ROWS(one)                                                          \
                     : "+r"(r0)                                                                   \
                     :                                                                            \
                     : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", \
                       "cc", "memory");                                                           \
  }
#else
#define MCUC_POLY_HAS_ASM 0

/* The same in C: columns go where the assembly puts them, words of padding around them. */
static inline void mcuc_poly_sort_plain(const mcuc_poly_source *s, int32_t stride)
{
  const int32_t zero = (int8_t)(uint8_t)((uint32_t)s->zeros & 0xFFU);
  const int32_t words = (s->lead + s->columns + 2 * stride - 1) / (2 * stride) * stride;
  const void *const *row;
  int32_t *to = s->to;
  for (row = s->rows; row != s->end; ++row) {
    const int8_t *x = (const int8_t *)*row + s->offset;
    int32_t channel;
    for (channel = 0; channel < 4; ++channel) {
      int32_t k;
      for (k = 0; k < words; ++k) {
        const int32_t a = k / stride * 2 * stride + k % stride - s->lead, b = a + stride;
        to[channel * MCUC_POLY_WORDS + k] =
            mcuc_poly_word(a >= 0 && a < s->columns ? x[a * s->step + channel] : zero,
                           b >= 0 && b < s->columns ? x[b * s->step + channel] : zero);
      }
    }
    to += 4 * MCUC_POLY_WORDS;
  }
}

#define MCUC_POLY_SORT(name, stride, one)          \
  static void name(const mcuc_poly_source *source) \
  {                                                \
    mcuc_poly_sort_plain(source, stride);          \
  }
#endif

MCUC_POLY_SORT(mcuc_poly_sort_1, 1, MCUC_POLY_ROW_1)
MCUC_POLY_SORT(mcuc_poly_sort_2, 2, MCUC_POLY_ROW_2)

#endif
