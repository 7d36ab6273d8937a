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

/* Widens n words of three pixels; returns where the next go. */
static inline uint32_t *mcuc_wide_fill(uint32_t *to, const int8_t *x0, const int8_t *x1,
                                       const int8_t *x2, int32_t n)
{
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
  return to;
}

/* One pair of outputs of any shift, n <= 2 of which exist; returns the weights that follow. */
__attribute__((noinline, unused)) static const int32_t *mcuc_wide_pair(const uint32_t *x,
                                                                       const int32_t *w,
                                                                       int32_t words, int8_t *y,
                                                                       int32_t step, int32_t offset,
                                                                       int32_t n)
{
  const mcuc_dsp_scale *s = (const mcuc_dsp_scale *)(const void *)(w + 2 * words);
  int32_t pixel;
  for (pixel = 0; pixel < 3; ++pixel) {
    mcuc_dot_pair acc = {0, 0};
    int32_t k;
    for (k = 0; k < 2 * words; ++k) {
      acc.both = mcuc_dsp_smlad(x[3 * k + pixel], (uint32_t)w[k], acc.both);
      acc.b = mcuc_dsp_smlad(x[3 * k + pixel], mcuc_dsp_sxtb16((uint32_t)w[k]), acc.b);
    }
    mcuc_dot_store_any(acc, s, y + pixel * step, offset, n);
  }
  return w + 2 * words + 6;
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

/* mcuc_dsp_requantize */
#define MCUC_WIDE_STORE(acc, to)      \
  "smmlar " acc ", " acc ", r1, " acc \
  "\n\t"                              \
  "add " acc ", " acc ", " acc        \
  ", asr #31\n\t"                     \
  "smmlar " acc ", " acc              \
  ", r2, lr\n\t"                      \
  "ssat " acc ", #8, " acc            \
  "\n\t"                              \
  "strb " acc ", " to "\n\t"

#define MCUC_WIDE_A(acc, to) "add " acc ", r0, " acc ", asr #8\n\t" MCUC_WIDE_STORE(acc, to)
#define MCUC_WIDE_B(acc, to) "add " acc ", r0\n\t" MCUC_WIDE_STORE(acc, to)

/* `pairs` > 0 pairs of outputs whose shifts are all usual; returns the weights that follow. */
__attribute__((noinline, unused)) static const int32_t *mcuc_wide_pairs(
    const uint32_t *x, const int32_t *w, int32_t words, int8_t *y, int32_t step, int32_t offset,
    int32_t pairs)
{
/* All registers but the stack pointer and the frame pointer r7: more than clang hands out. */
#if MCUC_DSP_ASM && !defined(__clang__)
  register const int32_t *next __asm__("r3") = w;
  __asm__ volatile(
      "1:\n\t"
      "ldr r12, %[x]\n\t"
      "ldr lr, %[n]\n\t"
      "movs r4, #0\n\t"
      "movs r5, #0\n\t"
      "movs r6, #0\n\t"
      "mov r8, r4\n\t"
      "mov r9, r4\n\t"
      "mov r10, r4\n\t"
      "lsrs lr, lr, #1\n\t"
      "bcc 2f\n\t"
      "adds lr, lr, #1\n\t"
      "b 3f\n\t"
      "2:\n\t" MCUC_WIDE_STEP MCUC_WIDE_STEP
      "3:\n\t" MCUC_WIDE_STEP MCUC_WIDE_STEP
      "subs lr, lr, #1\n\t"
      "bne 2b\n\t"
      "ldr r11, %[y]\n\t"
      "ldr r12, %[step]\n\t"
      "ldr lr, %[offset]\n\t"
      "ldmia r3!, {r0, r1, r2}\n\t"
      "sub r4, r4, r8\n\t"
      "sub r5, r5, r9\n\t"
      "sub r6, r6, r10\n\t" MCUC_WIDE_A("r5", "[r11, r12]")
          MCUC_WIDE_A("r6", "[r11, r12, lsl #1]") MCUC_WIDE_A("r4", "[r11], #1")
      "ldmia r3!, {r0, r1, r2}\n\t" MCUC_WIDE_B("r9", "[r11, r12]")
          MCUC_WIDE_B("r10", "[r11, r12, lsl #1]") MCUC_WIDE_B("r8", "[r11], #1")
      "str r11, %[y]\n\t"
      "ldr r0, %[pairs]\n\t"
      "subs r0, r0, #1\n\t"
      "str r0, %[pairs]\n\t"
      "bne 1b\n\t"
      : "+r"(next), [y] "+m"(y), [pairs] "+m"(pairs)
      : [x] "m"(x), [n] "m"(words), [step] "m"(step), [offset] "m"(offset)
      : "r0", "r1", "r2", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc",
        "memory");
  return next;
#else
  for (; pairs > 0; --pairs) {
    w = mcuc_wide_pair(x, w, words, y, step, offset, 2);
    y += 2;
  }
  return w;
#endif
}

#endif
