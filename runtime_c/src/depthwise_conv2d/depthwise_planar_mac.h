/* DEPTHWISE_CONV_2D of int8 channel by channel on cores without the DSP extension: the inner loop.
 */
#ifndef MCUC_DEPTHWISE_PLANAR_MAC_H
#define MCUC_DEPTHWISE_PLANAR_MAC_H

#include "depthwise_conv2d/depthwise_planar.h"
#include "mcuc/mac.h"

#if MCUC_MAC_ASM

/* r0 row, r1 x, r2 channel, r3 y, r4 r5 r6 r8 accumulators, r9 r10 r11 r12 pixels, lr weight. */
#define MCUC_PLANAR_MAC_X(t, i, k) "ldrsh " t ", [r1, #(" #i " * 64 + " #k " * 2)]\n\t"

/* Columns k .. k + 3 * step of row i. */
#define MCUC_PLANAR_MAC_LOAD(i, k, step)      \
  MCUC_PLANAR_MAC_X("r9", i, (k))             \
  MCUC_PLANAR_MAC_X("r10", i, (k + step))     \
  MCUC_PLANAR_MAC_X("r11", i, (k + 2 * step)) \
  MCUC_PLANAR_MAC_X("r12", i, (k + 3 * step))

/* Weight w of the channel by four pixels. */
#define MCUC_PLANAR_MAC_TAP(w, a, b, c, d) \
  "ldrsb lr, [r2, #(16 + " #w              \
  ")]\n\t"                                 \
  "mla r4, " a                             \
  ", lr, r4\n\t"                           \
  "mla r5, " b                             \
  ", lr, r5\n\t"                           \
  "mla r6, " c                             \
  ", lr, r6\n\t"                           \
  "mla r8, " d ", lr, r8\n\t"

/* Weight w by the pixels from column k on, which the next outputs use with a stride of 2. */
#define MCUC_PLANAR_MAC_APART(w, i, k) \
  MCUC_PLANAR_MAC_LOAD(i, k, 2) MCUC_PLANAR_MAC_TAP(w, "r9", "r10", "r11", "r12")

/* The same where pixels are shared: a to d hold columns k - 1 on, of which a becomes column k + 3.
 */
#define MCUC_PLANAR_MAC_NEXT(w, i, k, a, b, c, d) \
  MCUC_PLANAR_MAC_X(a, i, (k + 3)) MCUC_PLANAR_MAC_TAP(w, b, c, d, a)

/* mcuc_mac_requantize */
#define MCUC_PLANAR_MAC_END(a) \
  "mov r12, #0x80000000\n\t"   \
  "smlal r12, " a ", " a       \
  ", r9\n\t"                   \
  "add " a ", " a ", " a       \
  ", asr #31\n\t"              \
  "add " a                     \
  ", r10\n\t"                  \
  "asr " a ", " a              \
  ", r11\n\t"                  \
  "ssat " a ", #8, " a "\n\t"

/* All turns; `bytes`: of x from turn to turn. */
#define MCUC_PLANAR_MAC_ASM(rows, bytes) \
  "ldmia r0, {r1, r2, r3}\n\t"                \
  "1:\n\t"                                    \
  "ldr r4, [r2]\n\t"                          \
  "mov r5, r4\n\t"                            \
  "mov r6, r4\n\t"                            \
  "mov r8, r4\n\t" rows                       \
  "ldrd r9, r10, [r2, #4]\n\t"                \
  "ldr r11, [r2, #12]\n\t"                    \
  MCUC_PLANAR_MAC_END("r4")                   \
  MCUC_PLANAR_MAC_END("r5")                   \
  MCUC_PLANAR_MAC_END("r6")                   \
  MCUC_PLANAR_MAC_END("r8")                   \
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
  "bne 1b\n\t"

#define MCUC_PLANAR_MAC_INNER(name, size, stride, rows, bytes)                                    \
  __attribute__((noinline)) static void name(mcuc_planar_row *row)                                \
  {                                                                                               \
    register mcuc_planar_row *r __asm__("r0") = row;                                              \
    __asm__ volatile(MCUC_PLANAR_MAC_ASM(rows, bytes)                                             \
                     : "+r"(r)                                                                    \
                     :                                                                            \
                     : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", \
                       "cc", "memory");                                                           \
  }

#else

/* The same in C; size is odd. */
static inline void mcuc_planar_mac_plain(mcuc_planar_row *row, int32_t size, int32_t stride)
{
  const mcuc_mac_scale *scale = (const mcuc_mac_scale *)(const void *)row->channel;
  int32_t n;
  for (n = 0; n < 4 * row->turns; ++n) {
    const int8_t *w = (const int8_t *)(const void *)(row->channel + 4);
    const int16_t *x = row->x + n * stride;
    int32_t acc = scale->bias;
    int32_t i;
    for (i = 0; i < size; ++i) {
      int32_t j;
      for (j = 0; j + 1 < size; j += 2) {
        acc += x[j] * w[j];
        acc += x[j + 1] * w[j + 1];
      }
      acc += x[j] * w[j];
      x += MCUC_PLANAR_PIXELS;
      w += size;
    }
    row->y[n * row->step] = mcuc_mac_requantize(acc, scale);
  }
}

#define MCUC_PLANAR_MAC_INNER(name, size, stride, rows, bytes) \
  static void name(mcuc_planar_row *row)                       \
  {                                                            \
    mcuc_planar_mac_plain(row, size, stride);                  \
  }

#endif

#endif
