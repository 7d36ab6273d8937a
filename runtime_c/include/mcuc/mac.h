/* Dot products of int8 by multiply-accumulate, in tiles of registers, and a requantization that
 * takes seven instructions: for cores without the DSP extension.
 *
 * Weights of a tile of R outputs stand as [k][R] bytes. On Armv7-M tiles are assembly, since gcc
 * spills them; everywhere else they are plain C of the same meaning.
 */
#ifndef MCUC_MAC_H
#define MCUC_MAC_H

#include "mcuc/dsp.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && \
    defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB >= 2
#define MCUC_MAC_ASM 1
#else
#define MCUC_MAC_ASM 0
#endif

/* How an accumulator becomes an element, by output channel (mcuc/ops/mac_tables.py). The packer has
 * proved that no sum overflows. */
typedef struct mcuc_mac_scale {
  int32_t bias;
  int32_t multiplier; /* 2 m - 2^32, negative */
  int32_t constant;   /* what rounds, and the output's zero point, both 2^right times as large */
  int32_t right;
} mcuc_mac_scale;

/* acc + floor(acc * multiplier / 2^32 + 1/2) */
static inline int32_t mcuc_mac_high(int32_t acc, int32_t multiplier)
{
#if MCUC_MAC_ASM
  uint32_t low = (uint32_t)1 << 31;
  __asm__("smlal %0, %1, %1, %2" : "+&r"(low), "+&r"(acc) : "r"(multiplier));
  return acc;
#elif defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 1
  /* The product of 32 bits by 32 from four of 16 by 16; there is no instruction for it. */
  const uint32_t low = (uint32_t)acc & 0xFFFFU, factor = (uint32_t)multiplier & 0xFFFFU;
  const int32_t high = acc >> 16, upper = multiplier >> 16;
  const uint32_t middle = low * (uint32_t)upper + ((low * factor) >> 16) + ((uint32_t)1 << 15);
  const uint32_t cross = (uint32_t)high * factor;
  return acc + high * upper + ((int32_t)middle >> 16) + ((int32_t)cross >> 16) +
         (int32_t)(((middle & 0xFFFFU) + (cross & 0xFFFFU)) >> 16);
#else
  return acc + (int32_t)(((int64_t)acc * multiplier + ((int64_t)1 << 31)) >> 32);
#endif
}

/* An accumulator that has its bias: TFLite's two roundings, the second half away from zero, which
 * is half up of a number that is one less if it is negative. */
static inline int8_t mcuc_mac_requantize(int32_t acc, const mcuc_mac_scale *s)
{
  int32_t y = mcuc_mac_high(acc, s->multiplier);
  y += y >> 31;
  return (int8_t)mcuc_dsp_ssat8((y + s->constant) >> s->right);
}

#define MCUC_MAC_1_X "ldrsb %[p], [%[x]], #1\n\t"
#define MCUC_MAC_1_W(a)        \
  "ldrsb %[v], [%[w]], #1\n\t" \
  "mla %[" a "], %[p], %[v], %[" a "]\n\t"
#define MCUC_MAC_2_X            \
  "ldrsb %[p], [%[x0]], #1\n\t" \
  "ldrsb %[q], [%[x1]], #1\n\t"
#define MCUC_MAC_2_W(a, b)         \
  "ldrsb %[v], [%[w]], #1\n\t"     \
  "mla %[" a "], %[p], %[v], %[" a \
  "]\n\t"                          \
  "mla %[" b "], %[q], %[v], %[" b "]\n\t"

/* n >= 0 steps, eight per turn. */
#define MCUC_MAC_LOOP(step)                        \
  "subs %[n], %[n], #8\n\t"                        \
  "blt 2f\n\t"                                     \
  "1:\n\t" step step step step step step step step \
  "subs %[n], %[n], #8\n\t"                        \
  "bge 1b\n\t"                                     \
  "2:\n\t"                                         \
  "adds %[n], %[n], #8\n\t"                        \
  "beq 4f\n\t"                                     \
  "3:\n\t" step                                    \
  "subs %[n], %[n], #1\n\t"                        \
  "bne 3b\n\t"                                     \
  "4:\n\t"

/* Adds n products of one pixel to R outputs; returns the weights that follow. */
static inline const int8_t *mcuc_mac_1x2(const int8_t *x, const int8_t *w, int32_t n, int32_t *acc)
{
#if MCUC_MAC_ASM
  int32_t p, v;
  __asm__(MCUC_MAC_LOOP(MCUC_MAC_1_X MCUC_MAC_1_W("a0") MCUC_MAC_1_W("a1"))
          : [x] "+r"(x), [w] "+r"(w), [n] "+r"(n), [a0] "+r"(acc[0]), [a1] "+r"(acc[1]),
            [p] "=&r"(p), [v] "=&r"(v)
          :
          : "cc", "memory");
#else
  int32_t a0 = acc[0], a1 = acc[1];
  for (; n > 0; --n) {
    const int32_t p = *x++;
    a0 += p * w[0];
    a1 += p * w[1];
    w += 2;
  }
  acc[0] = a0;
  acc[1] = a1;
#endif
  return w;
}

static inline const int8_t *mcuc_mac_1x3(const int8_t *x, const int8_t *w, int32_t n, int32_t *acc)
{
#if MCUC_MAC_ASM
  int32_t p, v;
  __asm__(MCUC_MAC_LOOP(MCUC_MAC_1_X MCUC_MAC_1_W("a0") MCUC_MAC_1_W("a1") MCUC_MAC_1_W("a2"))
          : [x] "+r"(x), [w] "+r"(w), [n] "+r"(n), [a0] "+r"(acc[0]), [a1] "+r"(acc[1]),
            [a2] "+r"(acc[2]), [p] "=&r"(p), [v] "=&r"(v)
          :
          : "cc", "memory");
#else
  int32_t a0 = acc[0], a1 = acc[1], a2 = acc[2];
  for (; n > 0; --n) {
    const int32_t p = *x++;
    a0 += p * w[0];
    a1 += p * w[1];
    a2 += p * w[2];
    w += 3;
  }
  acc[0] = a0;
  acc[1] = a1;
  acc[2] = a2;
#endif
  return w;
}

static inline const int8_t *mcuc_mac_1x4(const int8_t *x, const int8_t *w, int32_t n, int32_t *acc)
{
#if MCUC_MAC_ASM
  int32_t p, v;
  __asm__(MCUC_MAC_LOOP(MCUC_MAC_1_X MCUC_MAC_1_W("a0") MCUC_MAC_1_W("a1") MCUC_MAC_1_W("a2")
                            MCUC_MAC_1_W("a3"))
          : [x] "+r"(x), [w] "+r"(w), [n] "+r"(n), [a0] "+r"(acc[0]), [a1] "+r"(acc[1]),
            [a2] "+r"(acc[2]), [a3] "+r"(acc[3]), [p] "=&r"(p), [v] "=&r"(v)
          :
          : "cc", "memory");
  return w;
#else
  int32_t a0 = acc[0], a1 = acc[1], a2 = acc[2], a3 = acc[3];
  for (; n > 0; --n) {
    const int32_t p = *x++;
    a0 += p * w[0];
    a1 += p * w[1];
    a2 += p * w[2];
    a3 += p * w[3];
    w += 4;
  }
  acc[0] = a0;
  acc[1] = a1;
  acc[2] = a2;
  acc[3] = a3;
  return w;
#endif
}

/* As mcuc_mac_1x2, of two pixels. */
static inline const int8_t *mcuc_mac_2x2(const int8_t *x0, const int8_t *x1, const int8_t *w,
                                         int32_t n, int32_t *acc0, int32_t *acc1)
{
#if MCUC_MAC_ASM
  int32_t p, q, v;
  __asm__(MCUC_MAC_LOOP(MCUC_MAC_2_X MCUC_MAC_2_W("a0", "b0") MCUC_MAC_2_W("a1", "b1"))
          : [x0] "+r"(x0), [x1] "+r"(x1), [w] "+r"(w), [n] "+r"(n), [a0] "+r"(acc0[0]),
            [a1] "+r"(acc0[1]), [b0] "+r"(acc1[0]), [b1] "+r"(acc1[1]), [p] "=&r"(p), [q] "=&r"(q),
            [v] "=&r"(v)
          :
          : "cc", "memory");
  return w;
#else
  (void)mcuc_mac_1x2(x0, w, n, acc0);
  return mcuc_mac_1x2(x1, w, n, acc1);
#endif
}

static inline const int8_t *mcuc_mac_2x3(const int8_t *x0, const int8_t *x1, const int8_t *w,
                                         int32_t n, int32_t *acc0, int32_t *acc1)
{
#if MCUC_MAC_ASM
  int32_t p, q, v;
  __asm__(MCUC_MAC_LOOP(MCUC_MAC_2_X MCUC_MAC_2_W("a0", "b0") MCUC_MAC_2_W("a1", "b1")
                            MCUC_MAC_2_W("a2", "b2"))
          : [x0] "+r"(x0), [x1] "+r"(x1), [w] "+r"(w), [n] "+r"(n), [a0] "+r"(acc0[0]),
            [a1] "+r"(acc0[1]), [a2] "+r"(acc0[2]), [b0] "+r"(acc1[0]), [b1] "+r"(acc1[1]),
            [b2] "+r"(acc1[2]), [p] "=&r"(p), [q] "=&r"(q), [v] "=&r"(v)
          :
          : "cc", "memory");
  return w;
#else
  (void)mcuc_mac_1x3(x0, w, n, acc0);
  return mcuc_mac_1x3(x1, w, n, acc1);
#endif
}

#endif
