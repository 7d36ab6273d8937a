/* Products of one pixel with six units, DSP extension.
 *
 * A pixel's four bytes are taken apart once for three pairs of units: 23 instructions for 24
 * products. Sums start with the bias of the second unit of a pair, which the difference of the pair
 * does not see (mcuc/dsp_dot.h).
 */
#ifndef MCUC_FULLY_CONNECTED_SIX_H
#define MCUC_FULLY_CONNECTED_SIX_H

#include "fully_connected/fully_connected.h"
#include "mcuc/dsp_wide.h"

/* How the sums of a pair become elements: as in mcuc_fully_connected_line, the second one's bias
 * in the sums already. */
typedef struct mcuc_fully_connected_pair {
  int32_t bias_a, multiplier_a, constant_a, right_a;
  int32_t multiplier_b, constant_b, right_b;
} mcuc_fully_connected_pair;

/* Words of it. */
#define MCUC_SIX_PAIR 7

/* The elements of a pair, n <= 2 of which exist; returns the words that follow. */
static inline const int32_t *mcuc_six_store(mcuc_dot_pair acc, const int32_t *w, int8_t *y,
                                            int32_t n)
{
  const mcuc_fully_connected_pair *p = (const mcuc_fully_connected_pair *)(const void *)w;
  const mcuc_fully_connected_line a = {p->bias_a, p->multiplier_a, p->constant_a, p->right_a};
  const mcuc_fully_connected_line b = {0, p->multiplier_b, p->constant_b, p->right_b};
  y[0] = mcuc_fully_connected_line_at(mcuc_dot_high(acc), &a);
  if (n > 1) {
    y[1] = mcuc_fully_connected_line_at(acc.b, &b);
  }
  return w + MCUC_SIX_PAIR;
}

#if MCUC_WIDE_ASM

/* r3: two k of the pixel. */
#define MCUC_SIX_HALF             \
  "ldmia.w r1!, {r4, r5, r6}\n\t" \
  "smlad r8, r3, r4, r8\n\t"      \
  "smlad r10, r3, r5, r10\n\t"    \
  "smlad r12, r3, r6, r12\n\t"    \
  "sxtb16 r4, r4\n\t"             \
  "sxtb16 r5, r5\n\t"             \
  "sxtb16 r6, r6\n\t"             \
  "smlad r9, r3, r4, r9\n\t"      \
  "smlad r11, r3, r5, r11\n\t"    \
  "smlad lr, r3, r6, lr\n\t"

/* Four k. */
#define MCUC_SIX_WORD      \
  "ldr.w r2, [r0], #4\n\t" \
  "sxtb16 r3, r2\n\t" MCUC_SIX_HALF "sxtb16 r3, r2, ror #8\n\t" MCUC_SIX_HALF

/* Words of a turn, and bytes of code for each. */
#define MCUC_SIX_TURN 4
#define MCUC_SIX_CODE 92

#define MCUC_SIX_STORE(a, b)        \
  "sub " a ", " a ", " b            \
  "\n\t"                            \
  "ldmia r1!, {r2, r3, r4, r5}\n\t" \
  "add " a ", r2, " a               \
  ", asr #8\n\t"                    \
  "smmla " a ", " a                 \
  ", r3, r4\n\t"                    \
  "asr " a ", " a                   \
  ", r5\n\t"                        \
  "ssat " a ", #8, " a              \
  "\n\t"                            \
  "strb " a                         \
  ", [r7], #1\n\t"                  \
  "ldmia r1!, {r2, r3, r4}\n\t"     \
  "smmla " b ", " b                 \
  ", r2, r3\n\t"                    \
  "asr " b ", " b                   \
  ", r4\n\t"                        \
  "ssat " b ", #8, " b              \
  "\n\t"                            \
  "strb " b ", [r7], #1\n\t"

/* The stack, from its pointer on: y, turns, where the first turn begins, x, end of w, r7. */
__attribute__((noinline, unused)) static const int32_t *mcuc_six_units(const int8_t *x,
                                                                       const int32_t *w,
                                                                       int32_t words, int8_t *y,
                                                                       int32_t groups)
{
  const int32_t turns = (words + MCUC_SIX_TURN - 1) / MCUC_SIX_TURN;
  register const int8_t *r0 __asm__("r0") = x;
  register const int32_t *r1 __asm__("r1") = w;
  register int8_t *r2 __asm__("r2") = y;
  register int32_t r3 __asm__("r3") = turns;
  register int32_t r4 __asm__("r4") = (MCUC_SIX_TURN * turns - words) * MCUC_SIX_CODE;
  register const int32_t *r5 __asm__("r5") = w + groups * (3 + 6 * words + 3 * MCUC_SIX_PAIR);
  __asm__ volatile(
      ".balign 4\n\t" /* ADR counts from a whole word, also with -Os */
      "adr.w r6, 2f\n\t"
      "add r4, r4, r6\n\t"
      "orr r4, r4, #1\n\t"
      "push {r5, r7}\n\t"
      "push {r0}\n\t"
      "push {r2, r3, r4}\n\t"
      "1:\n\t"
      "ldmia r1!, {r8, r10, r12}\n\t"
      "mov r9, r8\n\t"
      "mov r11, r10\n\t"
      "mov lr, r12\n\t"
      "ldr r7, [sp, #4]\n\t"
      "ldr pc, [sp, #8]\n\t"
      ".balign 4\n\t"
      "2:\n\t" MCUC_SIX_WORD MCUC_SIX_WORD MCUC_SIX_WORD MCUC_SIX_WORD
      "subs r7, r7, #1\n\t"
      "bne 2b\n\t"
      "ldr r7, [sp]\n\t" MCUC_SIX_STORE("r8", "r9") MCUC_SIX_STORE("r10", "r11")
          MCUC_SIX_STORE("r12", "lr")
      "str r7, [sp]\n\t"
      "ldrd r0, r2, [sp, #12]\n\t"
      "cmp r1, r2\n\t"
      "bne 1b\n\t"
      "ldr r7, [sp, #20]\n\t"
      "add sp, #24\n\t"
      : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r4), "+r"(r5)
      :
      : "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
  return r1;
}

#else

/* `groups` > 0 times six units; returns the words that follow. */
static inline const int32_t *mcuc_six_units(const int8_t *x, const int32_t *w, int32_t words,
                                            int8_t *y, int32_t groups)
{
  for (; groups > 0; --groups) {
    const int32_t *lines = w + 3 + 6 * words;
    int32_t pair;
    for (pair = 0; pair < 3; ++pair) {
      mcuc_dot_pair acc = {w[pair], w[pair]};
      const int32_t *v = w + 3 + pair;
      int32_t k;
      for (k = 0; k < words; ++k, v += 6) {
        const uint32_t word = mcuc_dsp_load(x + 4 * k);
        const uint32_t even = mcuc_dsp_sxtb16(word), odd = mcuc_dsp_sxtb16_ror8(word);
        acc.both = mcuc_dsp_smlad(even, (uint32_t)v[0], acc.both);
        acc.both = mcuc_dsp_smlad(odd, (uint32_t)v[3], acc.both);
        acc.b = mcuc_dsp_smlad(even, mcuc_dsp_sxtb16((uint32_t)v[0]), acc.b);
        acc.b = mcuc_dsp_smlad(odd, mcuc_dsp_sxtb16((uint32_t)v[3]), acc.b);
      }
      lines = mcuc_six_store(acc, lines, y + 2 * pair, 2);
    }
    w = lines;
    y += 6;
  }
  return w;
}

#endif

#endif
