/* DEPTHWISE_CONV_2D of int8 channel by channel on cores with the DSP extension: the inner loop. */
#ifndef MCUC_DEPTHWISE_PLANAR_DSP_H
#define MCUC_DEPTHWISE_PLANAR_DSP_H

#include "depthwise_conv2d/depthwise_planar.h"

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
    row->y[k * row->step] =
        row->lines ? mcuc_dsp_line(acc, scale.multiplier, scale.power, MCUC_DSP_LINE_SHIFT)
                   : mcuc_dsp_requantize_rare(acc, &scale, row->out_offset);
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

/* mcuc_dsp_line */
#define MCUC_PLANAR_LINE(a) \
  "smmla " a ", " a         \
  ", r9, r10\n\t"           \
  "ssat " a ", #8, " a ", asr #4\n\t"

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
  "ldrd r11, r12, [r0, #20]\n\t"              \
  "cmp r12, #0\n\t"                           \
  "bne 2f\n\t"                                \
  MCUC_PLANAR_END("r4")                       \
  MCUC_PLANAR_END("r5")                       \
  MCUC_PLANAR_END("r6")                       \
  MCUC_PLANAR_END("r8")                       \
  "b 3f\n\t"                                  \
  "2:\n\t"                                    \
  MCUC_PLANAR_LINE("r4")                      \
  MCUC_PLANAR_LINE("r5")                      \
  MCUC_PLANAR_LINE("r6")                      \
  MCUC_PLANAR_LINE("r8")                      \
  "3:\n\t"                                    \
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
