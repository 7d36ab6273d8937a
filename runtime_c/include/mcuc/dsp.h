/* The instructions of the Armv7E-M DSP extension that kernels use, and plain C of the same meaning
 * for every other machine, so that the kernels run on the host.
 */
#ifndef MCUC_DSP_H
#define MCUC_DSP_H

#include <stdint.h>
#include <string.h>

#include "mcuc/requant.h"

#if defined(__ARM_FEATURE_DSP) && defined(__thumb2__)
#define MCUC_DSP_ASM 1
#else
#define MCUC_DSP_ASM 0
#endif

/* For functions that get a function of a kernel: inlined, so that the call is a direct one. */
#if defined(__GNUC__)
#define MCUC_INLINED static inline __attribute__((always_inline))
#else
#define MCUC_INLINED static inline
#endif

/* Four bytes from any address, the first in the lowest byte. */
static inline uint32_t mcuc_dsp_load(const int8_t *p)
{
#if MCUC_DSP_ASM
  uint32_t word;
  memcpy(&word, p, sizeof word);
  return word;
#else
  return (uint32_t)(uint8_t)p[0] | (uint32_t)(uint8_t)p[1] << 8 | (uint32_t)(uint8_t)p[2] << 16 |
         (uint32_t)(uint8_t)p[3] << 24;
#endif
}

#if !MCUC_DSP_ASM
static inline uint32_t mcuc_dsp_halves(int32_t low, int32_t high)
{
  return ((uint32_t)low & 0xFFFFU) | (uint32_t)high << 16;
}

static inline int32_t mcuc_dsp_low(uint32_t x)
{
  return (int16_t)(x & 0xFFFFU);
}

static inline int32_t mcuc_dsp_high(uint32_t x)
{
  return (int16_t)(x >> 16);
}
#endif

/* Bytes 0 and 2 as two signed halves. */
static inline uint32_t mcuc_dsp_sxtb16(uint32_t x)
{
#if MCUC_DSP_ASM
  uint32_t r;
  __asm__("sxtb16 %0, %1" : "=r"(r) : "r"(x));
  return r;
#else
  return mcuc_dsp_halves((int8_t)(x & 0xFFU), (int8_t)((x >> 16) & 0xFFU));
#endif
}

/* Bytes 1 and 3 as two signed halves. */
static inline uint32_t mcuc_dsp_sxtb16_ror8(uint32_t x)
{
#if MCUC_DSP_ASM
  uint32_t r;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(r) : "r"(x));
  return r;
#else
  return mcuc_dsp_sxtb16(x >> 8);
#endif
}

/* The low half of x below the low half of y. */
static inline uint32_t mcuc_dsp_pkhbt(uint32_t x, uint32_t y)
{
#if MCUC_DSP_ASM
  uint32_t r;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(r) : "r"(x), "r"(y));
  return r;
#else
  return (x & 0xFFFFU) | y << 16;
#endif
}

/* The high half of y below the high half of x. */
static inline uint32_t mcuc_dsp_pkhtb(uint32_t x, uint32_t y)
{
#if MCUC_DSP_ASM
  uint32_t r;
  __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(r) : "r"(x), "r"(y));
  return r;
#else
  return (x & 0xFFFF0000U) | y >> 16;
#endif
}

/* Stores both halves at any even address, the low one first. */
static inline void mcuc_dsp_store(int16_t *p, uint32_t x)
{
#if MCUC_DSP_ASM
  memcpy(p, &x, sizeof x);
#else
  p[0] = (int16_t)mcuc_dsp_low(x);
  p[1] = (int16_t)mcuc_dsp_high(x);
#endif
}

/* acc + the products of both halves, modulo 2^32. */
static inline int32_t mcuc_dsp_smlad(uint32_t x, uint32_t y, int32_t acc)
{
#if MCUC_DSP_ASM
  int32_t r;
  __asm__("smlad %0, %1, %2, %3" : "=r"(r) : "r"(x), "r"(y), "r"(acc));
  return r;
#else
  return (int32_t)((uint32_t)acc + (uint32_t)(mcuc_dsp_low(x) * mcuc_dsp_low(y)) +
                   (uint32_t)(mcuc_dsp_high(x) * mcuc_dsp_high(y)));
#endif
}

/* acc + the product of the low halves, modulo 2^32. */
static inline int32_t mcuc_dsp_smlabb(uint32_t x, uint32_t y, int32_t acc)
{
#if MCUC_DSP_ASM
  int32_t r;
  __asm__("smlabb %0, %1, %2, %3" : "=r"(r) : "r"(x), "r"(y), "r"(acc));
  return r;
#else
  return (int32_t)((uint32_t)acc + (uint32_t)(mcuc_dsp_low(x) * mcuc_dsp_low(y)));
#endif
}

/* acc + the product of the high halves, modulo 2^32. */
static inline int32_t mcuc_dsp_smlatt(uint32_t x, uint32_t y, int32_t acc)
{
#if MCUC_DSP_ASM
  int32_t r;
  __asm__("smlatt %0, %1, %2, %3" : "=r"(r) : "r"(x), "r"(y), "r"(acc));
  return r;
#else
  return (int32_t)((uint32_t)acc + (uint32_t)(mcuc_dsp_high(x) * mcuc_dsp_high(y)));
#endif
}

/* floor(acc + x * y / 2^32 + 1/2), modulo 2^32. */
static inline int32_t mcuc_dsp_smmlar(int32_t x, int32_t y, int32_t acc)
{
#if MCUC_DSP_ASM
  int32_t r;
  __asm__("smmlar %0, %1, %2, %3" : "=r"(r) : "r"(x), "r"(y), "r"(acc));
  return r;
#else
  const uint64_t sum = (uint64_t)((int64_t)x * y) + ((uint64_t)(uint32_t)acc << 32);
  return (int32_t)(uint32_t)((sum + ((uint64_t)1 << 31)) >> 32);
#endif
}

/* acc + floor(x * y / 2^32), modulo 2^32. */
static inline int32_t mcuc_dsp_smmla(int32_t x, int32_t y, int32_t acc)
{
#if MCUC_DSP_ASM
  int32_t r;
  __asm__("smmla %0, %1, %2, %3" : "=r"(r) : "r"(x), "r"(y), "r"(acc));
  return r;
#else
  return (int32_t)((uint32_t)acc + (uint32_t)(int32_t)(((int64_t)x * y) >> 32));
#endif
}

/* Clamps to the range of int8; also on Armv7-M. */
static inline int32_t mcuc_dsp_ssat8(int32_t x)
{
#if defined(__ARM_FEATURE_SAT) && defined(__thumb2__)
  int32_t r;
  __asm__("ssat %0, #8, %1" : "=r"(r) : "r"(x));
  return r;
#else
  x = x < -128 ? -128 : x;
  return x > 127 ? 127 : x;
#endif
}

/* How an accumulator becomes an element, by output channel (mcuc/ops/dsp_tables.py). */
typedef struct mcuc_dsp_scale {
  int32_t bias;
  int32_t multiplier; /* twice the multiplier, modulo 2^32 */
  int32_t power;      /* 2^(32 - right), 0 if the result is 0; or -2 - shift for other shifts */
} mcuc_dsp_scale;

/*
 * clamp(offset + mbqm(acc, ..)) to int8, for power >= 0. With the doubled multiplier
 * m' = 2 m - 2^32 < 0, the first rounding is acc + acc * m' / 2^32; the second, half away from
 * zero, is half up of a number that is one less if it is negative. Exact for every acc.
 */
static inline int8_t mcuc_dsp_requantize(int32_t acc, const mcuc_dsp_scale *s, int32_t offset)
{
  int32_t y = mcuc_dsp_smmlar(acc, s->multiplier, acc);
  y += y >> 31;
  return (int8_t)mcuc_dsp_ssat8(mcuc_dsp_smmlar(y, s->power, offset));
}

/* Shift of lines; mcuc/ops/dsp_lines.py. */
#define MCUC_DSP_LINE_SHIFT 4

/* clamp(((acc * multiplier) >> 32) + constant) >> shift) to int8. The host has proved that this is
 * the rule for every acc that can occur (mcuc/ops/dsp_lines.py). */
static inline int8_t mcuc_dsp_line(int32_t acc, int32_t multiplier, int32_t constant, int32_t shift)
{
  return (int8_t)mcuc_dsp_ssat8(mcuc_dsp_smmla(acc, multiplier, constant) >> shift);
}

/* As mcuc_dsp_requantize, for any power: layers with rare shifts, to the left or right by < 2. */
__attribute__((noinline, unused)) static int8_t mcuc_dsp_requantize_rare(int32_t acc,
                                                                         const mcuc_dsp_scale *s,
                                                                         int32_t offset)
{
  const int32_t multiplier = (int32_t)((uint32_t)s->multiplier >> 1);
  int32_t y;
  if (s->power >= 0) {
    return mcuc_dsp_requantize(acc, s, offset);
  }
  y = mcuc_multiply_by_quantized_multiplier(acc, multiplier, -2 - s->power);
  return (int8_t)mcuc_dsp_ssat8(mcuc_saturate_to_int32((int64_t)y + offset));
}

/* Narrows n elements to an activation range inside int8. */
static inline void mcuc_dsp_clamp(int8_t *y, int32_t n, int32_t low, int32_t high)
{
  int32_t i;
  if (low > -128 || high < 127) {
    for (i = 0; i < n; ++i) {
      const int32_t v = y[i] < low ? low : y[i];
      y[i] = (int8_t)(v > high ? high : v);
    }
  }
}

/* Copies n >= 0 bytes from any address to any other; the two do not overlap. */
static inline void mcuc_dsp_copy(int8_t *to, const int8_t *from, int32_t n)
{
  if (n >= 4) {
    const int8_t *const last = from + n - 4;
    int8_t *const to_last = to + n - 4;
    while (from < last) {
      memcpy(to, from, 4);
      to += 4;
      from += 4;
    }
    memcpy(to_last, last, 4); /* overlaps the word before it, unless n is a multiple of 4 */
    return;
  }
  for (; n > 0; --n) {
    *to++ = *from++;
  }
}

#endif
