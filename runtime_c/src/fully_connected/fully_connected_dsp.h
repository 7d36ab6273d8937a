/* Products of one pixel with four units, DSP extension. */
#ifndef MCUC_FULLY_CONNECTED_DSP_H
#define MCUC_FULLY_CONNECTED_DSP_H

#include "mcuc/dsp_dot.h"

/* Four k of two pairs of units: weights of (k, k + 2) of both, then of (k + 1, k + 3) of both. */
#define MCUC_FULLY_CONNECTED_STEP     \
  "ldr %[a], [%[x]], #4\n\t"          \
  "ldmia %[w]!, {r4, r5, r6, r8}\n\t" \
  "sxtb16 %[b], %[a]\n\t"             \
  "smlad %[t0], %[b], r4, %[t0]\n\t"  \
  "smlad %[t1], %[b], r5, %[t1]\n\t"  \
  "sxtb16 r4, r4\n\t"                 \
  "sxtb16 r5, r5\n\t"                 \
  "smlad %[u0], %[b], r4, %[u0]\n\t"  \
  "smlad %[u1], %[b], r5, %[u1]\n\t"  \
  "sxtb16 %[a], %[a], ror #8\n\t"     \
  "smlad %[t0], %[a], r6, %[t0]\n\t"  \
  "smlad %[t1], %[a], r8, %[t1]\n\t"  \
  "sxtb16 r6, r6\n\t"                 \
  "sxtb16 r8, r8\n\t"                 \
  "smlad %[u0], %[a], r6, %[u0]\n\t"  \
  "smlad %[u1], %[a], r8, %[u1]\n\t"

/* n > 0 steps, four per turn. */
#define MCUC_FULLY_CONNECTED_LOOP(step) \
  "subs %[n], %[n], #4\n\t"             \
  "blt 2f\n\t"                          \
  "1:\n\t" step step step step          \
  "subs %[n], %[n], #4\n\t"             \
  "bge 1b\n\t"                          \
  "2:\n\t"                              \
  "adds %[n], %[n], #4\n\t"             \
  "beq 4f\n\t"                          \
  "3:\n\t" step                         \
  "subs %[n], %[n], #1\n\t"             \
  "bne 3b\n\t"                          \
  "4:\n\t"

/* Adds 4 * n products, n > 0; returns the weights that follow. */
static inline const int32_t *mcuc_fully_connected_dot_dsp(const int8_t *x, const int32_t *w,
                                                          int32_t n, mcuc_dot_pair *first,
                                                          mcuc_dot_pair *second)
{
#if MCUC_DSP_ASM
  uint32_t a, b;
  __asm__(MCUC_FULLY_CONNECTED_LOOP(MCUC_FULLY_CONNECTED_STEP)
          : [x] "+r"(x), [w] "+r"(w), [n] "+r"(n), [t0] "+r"(first->both), [u0] "+r"(first->b),
            [t1] "+r"(second->both), [u1] "+r"(second->b), [a] "=&r"(a), [b] "=&r"(b)
          :
          : "r4", "r5", "r6", "r8", "cc", "memory");
#else
  for (; n > 0; --n) {
    const uint32_t word = mcuc_dsp_load(x);
    const uint32_t even = mcuc_dsp_sxtb16(word), odd = mcuc_dsp_sxtb16_ror8(word);
    first->both =
        mcuc_dsp_smlad(odd, (uint32_t)w[2], mcuc_dsp_smlad(even, (uint32_t)w[0], first->both));
    second->both =
        mcuc_dsp_smlad(odd, (uint32_t)w[3], mcuc_dsp_smlad(even, (uint32_t)w[1], second->both));
    first->b = mcuc_dsp_smlad(even, mcuc_dsp_sxtb16((uint32_t)w[0]), first->b);
    first->b = mcuc_dsp_smlad(odd, mcuc_dsp_sxtb16((uint32_t)w[2]), first->b);
    second->b = mcuc_dsp_smlad(even, mcuc_dsp_sxtb16((uint32_t)w[1]), second->b);
    second->b = mcuc_dsp_smlad(odd, mcuc_dsp_sxtb16((uint32_t)w[3]), second->b);
    x += 4;
    w += 4;
  }
#endif
  return w;
}

#endif
