/* Dot products of three pixels with pairs of outputs, on cores with the DSP extension.
 *
 * The pixels are widened once: for every two k, (k, k + 2) or (k + 1, k + 3) as SXTB16 takes them
 * apart, one word per pixel, so that one LDM fetches all three: 9 instructions for 12 products.
 * Weights are those of mcuc/dsp_dot.h.
 */
#ifndef MCUC_DSP_WIDE_H
#define MCUC_DSP_WIDE_H

#include "mcuc/dsp_dot.h"

/* Bytes of scratch for a word of each pixel. */
#define MCUC_WIDE_BYTES 24

/* All registers but the stack pointer: more than clang hands out. */
#if MCUC_DSP_ASM && defined(__GNUC__) && !defined(__clang__)
#define MCUC_WIDE_ASM 1
#else
#define MCUC_WIDE_ASM 0
#endif

/* Widens n > 0 words of three pixels; returns where the next go. */
static inline uint32_t *mcuc_wide_fill(uint32_t *to, const int8_t *x0, const int8_t *x1,
                                       const int8_t *x2, int32_t n)
{
#if MCUC_WIDE_ASM
  __asm__ volatile(
      "1:\n\t"
      "ldr r8, [%[x0]], #4\n\t"
      "ldr r9, [%[x1]], #4\n\t"
      "ldr r10, [%[x2]], #4\n\t"
      "sxtb16 r4, r8\n\t"
      "sxtb16 r5, r9\n\t"
      "sxtb16 r6, r10\n\t"
      "sxtb16 r8, r8, ror #8\n\t"
      "sxtb16 r9, r9, ror #8\n\t"
      "sxtb16 r10, r10, ror #8\n\t"
      "subs %[n], %[n], #1\n\t"
      "stmia %[to]!, {r4, r5, r6, r8, r9, r10}\n\t"
      "bne 1b\n\t"
      : [to] "+r"(to), [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [n] "+r"(n)
      :
      : "r4", "r5", "r6", "r8", "r9", "r10", "cc", "memory");
#else
  for (; n > 0; --n) {
    const uint32_t a = mcuc_dsp_load(x0), b = mcuc_dsp_load(x1), c = mcuc_dsp_load(x2);
    to[0] = mcuc_dsp_sxtb16(a);
    to[1] = mcuc_dsp_sxtb16(b);
    to[2] = mcuc_dsp_sxtb16(c);
    to[3] = mcuc_dsp_sxtb16_ror8(a);
    to[4] = mcuc_dsp_sxtb16_ror8(b);
    to[5] = mcuc_dsp_sxtb16_ror8(c);
    to += 6;
    x0 += 4;
    x1 += 4;
    x2 += 4;
  }
#endif
  return to;
}

/* One pair of outputs of any shift, n <= 2 of which exist; returns the weights that follow. */
__attribute__((noinline, unused)) static const int32_t *mcuc_wide_pair(const uint32_t *x,
                                                                       const int32_t *w,
                                                                       int32_t words, int8_t *y,
                                                                       int32_t step, int32_t offset,
                                                                       int32_t n)
{
  const int32_t bias = *w++;
  const mcuc_dot_scales *s = mcuc_dot_scales_at(w + 2 * words);
  int32_t pixel;
  for (pixel = 0; pixel < 3; ++pixel) {
    mcuc_dot_pair acc = mcuc_dot_start(bias);
    int32_t k;
    for (k = 0; k < 2 * words; ++k) {
      acc.both = mcuc_dsp_smlad(x[3 * k + pixel], (uint32_t)w[k], acc.both);
      acc.b = mcuc_dsp_smlad(x[3 * k + pixel], mcuc_dsp_sxtb16((uint32_t)w[k]), acc.b);
    }
    mcuc_dot_store_any(acc, s, y + pixel * step, offset, n);
  }
  return w + 2 * words + MCUC_DOT_GAP - 1;
}

#define MCUC_WIDE_STEP           \
  "ldmia r12!, {r0, r1, r2}\n\t" \
  "ldr r11, [r3], #4\n\t"        \
  "smlad r4, r0, r11, r4\n\t"    \
  "smlad r5, r1, r11, r5\n\t"    \
  "smlad r6, r2, r11, r6\n\t"    \
  "sxtb16 r11, r11\n\t"          \
  "smlad r8, r0, r11, r8\n\t"    \
  "smlad r9, r1, r11, r9\n\t"    \
  "smlad r10, r2, r11, r10\n\t"

#define MCUC_WIDE_WORD MCUC_WIDE_STEP MCUC_WIDE_STEP
#define MCUC_WIDE_4 MCUC_WIDE_WORD MCUC_WIDE_WORD MCUC_WIDE_WORD MCUC_WIDE_WORD

/* Words of a turn, and bytes of code for each. */
#define MCUC_WIDE_TURN 8
#define MCUC_WIDE_CODE 72

/* The first step, which sets the accumulators. */
#define MCUC_WIDE_START          \
  "ldmia r12!, {r0, r1, r2}\n\t" \
  "ldrd lr, r11, [r3], #8\n\t"   \
  "smlad r4, r0, r11, lr\n\t"    \
  "smlad r5, r1, r11, lr\n\t"    \
  "smlad r6, r2, r11, lr\n\t"    \
  "sxtb16 r11, r11\n\t"          \
  "smlad r8, r0, r11, lr\n\t"    \
  "smlad r9, r1, r11, lr\n\t"    \
  "smlad r10, r2, r11, lr\n\t"

/* mcuc_dsp_requantize */
#define MCUC_WIDE_AWAY(acc) "add " acc ", " acc ", " acc ", asr #31\n\t"

/* The same without rounding ties away from zero, where everything below the zero point is clamped
 * to it: a negative tie ends there, rounded up or down. */
#define MCUC_WIDE_UP(acc) ""

#define MCUC_WIDE_STORE(acc, to, sign)                                          \
  "smmlar " acc ", " acc ", r1, " acc "\n\t" sign(acc) "smmlar " acc ", " acc   \
                                                       ", r2, lr\n\t"           \
                                                       "ssat " acc ", #8, " acc \
                                                       "\n\t"                   \
                                                       "strb " acc ", " to "\n\t"

#define MCUC_WIDE_A(acc, to, sign) \
  "add " acc ", r0, " acc ", asr #8\n\t" MCUC_WIDE_STORE(acc, to, sign)

/* The stack, from its pointer on: x, turns, end of w, where the first turn begins, r7, step,
 * offset. r7 is y. */
#define MCUC_WIDE_PAIRS(sign) \
  ".balign 4\n\t" /* ADR counts from a whole word, also with -Os */ \
  "adr.w r6, 2f\n\t" \
  "add r5, r5, r6\n\t" \
  "orr r5, r5, #1\n\t" \
  "push {r0, r1, r4, r5, r7, r12, lr}\n\t" \
  "mov r7, r2\n\t" \
  "1:\n\t" \
  "ldr r12, [sp]\n\t" MCUC_WIDE_START MCUC_WIDE_STEP \
  "ldr lr, [sp, #4]\n\t" \
  "ldr pc, [sp, #12]\n\t" \
  "2:\n\t" MCUC_WIDE_4 MCUC_WIDE_4 \
  "subs lr, lr, #1\n\t" \
  "bne 2b\n\t" \
  "ldrd r12, lr, [sp, #20]\n\t" \
  "ldmia r3!, {r0, r1, r2}\n\t" \
  "sub r4, r4, r8\n\t" \
  "sub r5, r5, r9\n\t" \
  "sub r6, r6, r10\n\t" MCUC_WIDE_A("r5", "[r7, r12]", sign) \
  MCUC_WIDE_A("r6", "[r7, r12, lsl #1]", sign) MCUC_WIDE_A("r4", "[r7], #1", sign) \
  "ldrd r1, r2, [r3], #8\n\t" MCUC_WIDE_STORE("r9", "[r7, r12]", sign) \
  MCUC_WIDE_STORE("r10", "[r7, r12, lsl #1]", sign) MCUC_WIDE_STORE("r8", "[r7], #1", sign) \
  "ldr r0, [sp, #8]\n\t" \
  "cmp r3, r0\n\t" \
  "bne 1b\n\t" \
  "ldr r7, [sp, #16]\n\t" \
  "add sp, #28\n\t"

/* Words after the first go in turns; the first turn begins in the middle. */
#define MCUC_WIDE_FUNCTION(name, sign)                                                             \
  __attribute__((noinline, unused)) static const int32_t *name(                                    \
      const uint32_t *x, const int32_t *w, int32_t words, int8_t *y, int32_t step, int32_t offset, \
      int32_t pairs)                                                                               \
  {                                                                                                \
    MCUC_DSP_STACK(7);                                                                             \
    const int32_t turns = words < 2 ? 1 : (words + MCUC_WIDE_TURN - 2) / MCUC_WIDE_TURN;           \
    register const uint32_t *r0 __asm__("r0") = x;                                                 \
    register int32_t r1 __asm__("r1") = turns;                                                     \
    register int8_t *r2 __asm__("r2") = y;                                                         \
    register const int32_t *r3 __asm__("r3") = w;                                                  \
    register const int32_t *r4 __asm__("r4") = w + pairs * (2 * words + MCUC_DOT_GAP);             \
    register int32_t r5 __asm__("r5") = (MCUC_WIDE_TURN * turns + 1 - words) * MCUC_WIDE_CODE;     \
    register int32_t r12 __asm__("r12") = step;                                                    \
    register int32_t lr __asm__("lr") = offset;                                                    \
    __asm__ volatile(MCUC_WIDE_PAIRS(sign)                                                         \
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r12),      \
                       "+r"(lr)                                                                    \
                     :                                                                             \
                     : "r6", "r8", "r9", "r10", "r11", "cc", "memory");                            \
    return r3;                                                                                     \
  }

#if MCUC_WIDE_ASM
MCUC_WIDE_FUNCTION(mcuc_wide_pairs_away, MCUC_WIDE_AWAY)
MCUC_WIDE_FUNCTION(mcuc_wide_pairs_up, MCUC_WIDE_UP)
#endif

/* `pairs` > 0 pairs of outputs whose shifts are all usual; returns the weights that follow. low:
 * what results are clamped to later. */
static inline const int32_t *mcuc_wide_pairs(const uint32_t *x, const int32_t *w, int32_t words,
                                             int8_t *y, int32_t step, int32_t offset, int32_t pairs,
                                             int32_t low)
{
#if MCUC_WIDE_ASM
  return low >= offset ? mcuc_wide_pairs_up(x, w, words, y, step, offset, pairs)
                       : mcuc_wide_pairs_away(x, w, words, y, step, offset, pairs);
#else
  (void)low;
  for (; pairs > 0; --pairs) {
    w = mcuc_wide_pair(x, w, words, y, step, offset, 2);
    y += 2;
  }
  return w;
#endif
}

#endif
