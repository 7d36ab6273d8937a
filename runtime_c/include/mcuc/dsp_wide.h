/* Dot products of three pixels with pairs of outputs, on cores with the DSP extension.
 *
 * The pixels are widened once: for every two k, (k, k + 2) or (k + 1, k + 3) as SXTB16 takes them
 * apart, one word per pixel, so that one LDM fetches all three, LDRD two words of weights: 17
 * instructions for 24 products.
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

#define MCUC_WIDE_FILL          \
  "ldr r8, [%[x0]], #4\n\t"     \
  "ldr r9, [%[x1]], #4\n\t"     \
  "ldr r10, [%[x2]], #4\n\t"    \
  "sxtb16 r4, r8\n\t"           \
  "sxtb16 r5, r9\n\t"           \
  "sxtb16 r6, r10\n\t"          \
  "sxtb16 r8, r8, ror #8\n\t"   \
  "sxtb16 r9, r9, ror #8\n\t"   \
  "sxtb16 r10, r10, ror #8\n\t" \
  "stmia %[to]!, {r4, r5, r6, r8, r9, r10}\n\t"

/* Widens n > 0 words of three pixels, two in a turn; returns where the next go. */
__attribute__((noinline, unused)) static uint32_t *mcuc_wide_fill(uint32_t *to, const int8_t *x0,
                                                                  const int8_t *x1,
                                                                  const int8_t *x2, int32_t n)
{
#if MCUC_WIDE_ASM
  __asm__ volatile(
      "lsrs %[n], %[n], #1\n\t"
      "bcc 1f\n\t" MCUC_WIDE_FILL
      "beq 2f\n\t"
      "1:\n\t" MCUC_WIDE_FILL MCUC_WIDE_FILL
      "subs %[n], %[n], #1\n\t"
      "bne 1b\n\t"
      "2:\n\t"
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

/* One pair of outputs, n <= 2 of which exist; returns the weights that follow. */
__attribute__((noinline, unused)) static const int32_t *mcuc_wide_pair(const uint32_t *x,
                                                                       const int32_t *w,
                                                                       int32_t words, int8_t *y,
                                                                       int32_t step, int32_t offset,
                                                                       int32_t lines, int32_t n)
{
  int32_t pixel;
  w += 2;
  for (pixel = 0; pixel < 3; ++pixel) {
    mcuc_dot_pair acc = mcuc_dot_start(w);
    int32_t k;
    for (k = 0; k < 2 * words; ++k) {
      acc.both = mcuc_dsp_smlad(x[3 * k + pixel], (uint32_t)w[k], acc.both);
      acc.b = mcuc_dsp_smlad(x[3 * k + pixel], mcuc_dsp_sxtb16((uint32_t)w[k]), acc.b);
    }
    mcuc_dot_store_any(acc, mcuc_dot_ends_at(w + 2 * words), y + pixel * step, offset, lines, n);
  }
  return w + 2 * words + MCUC_DOT_GAP - 2;
}

/* Three pixels by the weights w of a pair of outputs; a(acc), b(acc): with what sums start. */
#define MCUC_WIDE_SUM(acc) acc
#define MCUC_WIDE_BOTH(acc) "r7"
#define MCUC_WIDE_B(acc) "r10"
#define MCUC_WIDE_PRODUCT(acc, x, w, start) "smlad " acc ", " x ", " w ", " start(acc) "\n\t"
/* clang-format off */
#define MCUC_WIDE_STEP(w, a, b)        \
  "ldmia r12!, {r0, r1, r2}\n\t"       \
  MCUC_WIDE_PRODUCT("r4", "r0", w, a)  \
  MCUC_WIDE_PRODUCT("r5", "r1", w, a)  \
  MCUC_WIDE_PRODUCT("r6", "r2", w, a)  \
  "sxtb16 " w ", " w "\n\t"            \
  MCUC_WIDE_PRODUCT("r8", "r0", w, b)  \
  MCUC_WIDE_PRODUCT("r9", "r1", w, b)  \
  MCUC_WIDE_PRODUCT("r10", "r2", w, b)
/* clang-format on */

/* Four k: 17 instructions for 24 products. */
#define MCUC_WIDE_WORD                                                            \
  "ldrd r7, r11, [r3], #8\n\t" MCUC_WIDE_STEP("r7", MCUC_WIDE_SUM, MCUC_WIDE_SUM) \
      MCUC_WIDE_STEP("r11", MCUC_WIDE_SUM, MCUC_WIDE_SUM)
#define MCUC_WIDE_4 MCUC_WIDE_WORD MCUC_WIDE_WORD MCUC_WIDE_WORD MCUC_WIDE_WORD

/* The first four, which set the sums. */
#define MCUC_WIDE_START                                                                  \
  "ldmia r3!, {r7, r10, r11, lr}\n\t" MCUC_WIDE_STEP("r11", MCUC_WIDE_BOTH, MCUC_WIDE_B) \
      MCUC_WIDE_STEP("lr", MCUC_WIDE_SUM, MCUC_WIDE_SUM)

/* Words of a turn, and bytes of code for each. */
#define MCUC_WIDE_TURN 8
#define MCUC_WIDE_CODE 68

/* r4, r5, r6: 256 * accA. */
#define MCUC_WIDE_DIFFERENCES \
  "sub r4, r4, r8\n\t"        \
  "sub r5, r5, r9\n\t"        \
  "sub r6, r6, r10\n\t"

/* Where three pixels of an output go; r7 moves on. */
#define MCUC_WIDE_AT_0 ", [r7], #1\n\t"
#define MCUC_WIDE_AT_1 ", [r7, r12]\n\t"
#define MCUC_WIDE_AT_2 ", [r7, r12, lsl #1]\n\t"

/* mcuc_dsp_requantize */
#define MCUC_WIDE_AWAY(acc) "add " acc ", " acc ", " acc ", asr #31\n\t"

/* The same without rounding ties away from zero, where everything below the zero point is clamped
 * to it: a negative tie ends there, rounded up or down. */
#define MCUC_WIDE_UP(acc) ""

#define MCUC_WIDE_STORE(acc, at, sign)                                          \
  "smmlar " acc ", " acc ", r1, " acc "\n\t" sign(acc) "smmlar " acc ", " acc   \
                                                       ", r2, lr\n\t"           \
                                                       "ssat " acc ", #8, " acc \
                                                       "\n\t"                   \
                                                       "strb " acc at
#define MCUC_WIDE_A(acc, at, sign) "asr " acc ", " acc ", #8\n\t" MCUC_WIDE_STORE(acc, at, sign)

/* The next pair, or the end. */
#define MCUC_WIDE_NEXT          \
  "str r7, [sp]\n\t"            \
  "ldrd r0, r12, [sp, #24]\n\t" \
  "cmp r3, r0\n\t"              \
  "bne 1b\n\t"

#define MCUC_WIDE_ROUNDED(sign)                                                                \
  "ldmia sp, {r7, r12, lr}\n\t"                                                                \
  "ldrd r1, r2, [r3], #8\n\t" MCUC_WIDE_DIFFERENCES MCUC_WIDE_A("r5", MCUC_WIDE_AT_1, sign)    \
      MCUC_WIDE_A("r6", MCUC_WIDE_AT_2, sign)                                                  \
          MCUC_WIDE_A("r4", MCUC_WIDE_AT_0, sign) "ldrd r1, r2, [r3], #8\n\t" MCUC_WIDE_STORE( \
              "r9", MCUC_WIDE_AT_1, sign) MCUC_WIDE_STORE("r10", MCUC_WIDE_AT_2, sign)         \
              MCUC_WIDE_STORE("r8", MCUC_WIDE_AT_0, sign)

/* mcuc_dsp_line with MCUC_DOT_LINE_SHIFT */
#define MCUC_WIDE_LINE(acc, m, c, shift, at) \
  "smmla " acc ", " acc ", " m ", " c        \
  "\n\t"                                     \
  "ssat " acc ", #8, " acc ", asr #" shift   \
  "\n\t"                                     \
  "strb " acc at
#define MCUC_WIDE_LINES                                                                           \
  "ldrd r7, r12, [sp]\n\t"                                                                        \
  "ldmia r3!, {r0, r1, r2, r11}\n\t" MCUC_WIDE_DIFFERENCES MCUC_WIDE_LINE("r5", "r0", "r1", "10", \
                                                                          MCUC_WIDE_AT_1)         \
      MCUC_WIDE_LINE("r6", "r0", "r1", "10", MCUC_WIDE_AT_2)                                      \
          MCUC_WIDE_LINE("r4", "r0", "r1", "10", MCUC_WIDE_AT_0)                                  \
              MCUC_WIDE_LINE("r9", "r2", "r11", "2", MCUC_WIDE_AT_1)                              \
                  MCUC_WIDE_LINE("r10", "r2", "r11", "2", MCUC_WIDE_AT_2)                         \
                      MCUC_WIDE_LINE("r8", "r2", "r11", "2", MCUC_WIDE_AT_0)

#if MCUC_WIDE_ASM

/* How sums end: rounded away from zero, rounded up, or lines. Words after the first go in turns;
 * the first turn begins in the middle. The stack, from its pointer on: y, step, offset, turns,
 * where the first turn begins, where sums end, end of w, x, r7. */
__attribute__((noinline, unused)) static const int32_t *mcuc_wide_asm(const uint32_t *x,
                                                                      const int32_t *w,
                                                                      int32_t words, int8_t *y,
                                                                      int32_t step, int32_t offset,
                                                                      int32_t pairs, int32_t end)
{
  const int32_t turns = words < 2 ? 1 : (words + MCUC_WIDE_TURN - 2) / MCUC_WIDE_TURN;
  register const uint32_t *r0 __asm__("r0") = x;
  register int32_t r1 __asm__("r1") = turns;
  register int8_t *r2 __asm__("r2") = y;
  register const int32_t *r3 __asm__("r3") = w;
  register const int32_t *r4 __asm__("r4") = w + pairs * (2 * words + MCUC_DOT_GAP);
  register int32_t r5 __asm__("r5") = (MCUC_WIDE_TURN * turns + 1 - words) * MCUC_WIDE_CODE;
  register int32_t r6 __asm__("r6") = end;
  register int32_t r12 __asm__("r12") = step;
  register int32_t lr __asm__("lr") = offset;
  __asm__ volatile(
      ".balign 4\n\t" /* ADR counts from a whole word, also with -Os */
      "adr.w r8, 2f\n\t"
      "add r5, r5, r8\n\t"
      "orr r5, r5, #1\n\t"
      "adr.w r8, 3f\n\t"
      "adr.w r9, 4f\n\t"
      "adr.w r10, 5f\n\t"
      "cmp r6, #1\n\t"
      "it eq\n\t"
      "moveq r8, r9\n\t"
      "it gt\n\t"
      "movgt r8, r10\n\t"
      "orr r8, r8, #1\n\t"
      "push {r7}\n\t"
      "push {r0}\n\t"
      "push {r4}\n\t"
      "push {r1, r5, r8}\n\t"
      "push {r2, r12, lr}\n\t"
      "mov r12, r0\n\t"
      "1:\n\t" MCUC_WIDE_START
      "ldr lr, [sp, #12]\n\t"
      "ldr pc, [sp, #16]\n\t"
      ".balign 4\n\t"
      "2:\n\t" MCUC_WIDE_4 MCUC_WIDE_4
      "subs lr, lr, #1\n\t"
      "bne 2b\n\t"
      "ldr pc, [sp, #20]\n\t"
      ".balign 4\n\t"
      "3:\n\t" MCUC_WIDE_ROUNDED(MCUC_WIDE_AWAY) MCUC_WIDE_NEXT
      "b 6f\n\t"
      ".balign 4\n\t"
      "4:\n\t" MCUC_WIDE_ROUNDED(MCUC_WIDE_UP) MCUC_WIDE_NEXT
      "b 6f\n\t"
      ".balign 4\n\t"
      "5:\n\t" MCUC_WIDE_LINES MCUC_WIDE_NEXT
      "6:\n\t"
      "ldr r7, [sp, #32]\n\t"
      "add sp, #36\n\t"
      : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r12), "+r"(lr)
      :
      : "r8", "r9", "r10", "r11", "cc", "memory");
  return r3;
}
#endif

/* `pairs` > 0 pairs of outputs that are `lines` or whose shifts are all usual; returns the weights
 * that follow. low: what results are clamped to later. */
static inline const int32_t *mcuc_wide_pairs(const uint32_t *x, const int32_t *w, int32_t words,
                                             int8_t *y, int32_t step, int32_t offset, int32_t lines,
                                             int32_t pairs, int32_t low)
{
#if MCUC_WIDE_ASM
  return mcuc_wide_asm(x, w, words, y, step, offset, pairs, lines != 0 ? 2 : low >= offset);
#else
  (void)low;
  for (; pairs > 0; --pairs) {
    w = mcuc_wide_pair(x, w, words, y, step, offset, lines, 2);
    y += 2;
  }
  return w;
#endif
}

#endif
