/* Logistic and tanh of int16 fixed-point numbers: gemmlowp's `fixedpoint.h` on int16. The numpy
 * twin is mcuc/numerics/fixed16.py. A number with k integer bits is raw / 2^(15 - k).
 */
#ifndef MCUC_FIXED16_H
#define MCUC_FIXED16_H

#include "mcuc/requant.h"

static inline int32_t mcuc_saturate_to_int16(int32_t x)
{
  x = x > 32767 ? 32767 : x;
  return x < -32768 ? -32768 : x;
}

/* a * b without the doubled sign bit, to nearest, halves away from zero. */
static inline int32_t mcuc_high_mul16(int32_t a, int32_t b)
{
  const int32_t product = a * b;
  return mcuc_saturate_to_int16((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/* exp(a) for a in [-1/4, 0), no integer bits. */
static inline int32_t mcuc_exp_on_quarter16(int32_t a)
{
  const int32_t term = 28918; /* exp(-1/8) */
  const int32_t x = a + (1 << 12);
  const int32_t x2 = mcuc_high_mul16(x, x);
  const int32_t x3 = mcuc_high_mul16(x2, x);
  const int32_t x4 = mcuc_high_mul16(x2, x2);
  const int32_t inner = mcuc_high_mul16(mcuc_rounding_divide_by_pot(x4, 2) + x3, 10923) + x2;
  const int32_t series = mcuc_rounding_divide_by_pot(inner, 1);
  return mcuc_saturate_to_int16(term + mcuc_high_mul16(term, x + series));
}

/* exp(a) for a <= 0 with `bits` integer bits, at most 7; the result has none. */
static inline int32_t mcuc_exp_on_negative_values16(int32_t a, int32_t bits)
{
  /* exp(-2^k), k = -2 .. 4 */
  static const int16_t powers[] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const int32_t quarter = 1 << (13 - bits);
  const int32_t rest = (a & (quarter - 1)) - quarter;
  const int32_t remainder = rest - a;
  int32_t result = mcuc_exp_on_quarter16(mcuc_saturate_to_int16(rest * (1 << bits)));
  int32_t k;
  for (k = 0; k < bits + 2 && k < 7; ++k) {
    if (remainder & (1 << (13 - bits + k))) {
      result = mcuc_high_mul16(result, powers[k]);
    }
  }
  return a == 0 ? 32767 : result;
}

/* 2 / (1 + a) for a in [0, 1], with two integer bits: Newton's method. */
static inline int32_t mcuc_reciprocal16(int32_t a)
{
  const int32_t half = (a + 32767 + 1) >> 1;
  int32_t x = 23130 + mcuc_high_mul16(half, -15420);
  int32_t i;
  for (i = 0; i < 3; ++i) {
    const int32_t rest = (1 << 13) - mcuc_high_mul16(half, x);
    x += mcuc_saturate_to_int16(mcuc_high_mul16(x, rest) * 4);
  }
  return x;
}

/* 1 / (1 + exp(-a)) of a number with 3 integer bits; the result has none. */
static inline int32_t mcuc_logistic16(int32_t a)
{
  const int32_t below = a > 0 ? -a : a;
  int32_t above;
  if (a == 0) {
    return 1 << 14;
  }
  above = mcuc_saturate_to_int16(mcuc_reciprocal16(mcuc_exp_on_negative_values16(below, 3)) * 2);
  return a > 0 ? above : 32767 - above;
}

/* tanh(a) of a number with `bits` integer bits; the result has none. */
static inline int32_t mcuc_tanh16(int32_t a, int32_t bits)
{
  const int32_t below = a < 0 ? a : -a;
  const int32_t ratio = mcuc_reciprocal16(mcuc_exp_on_negative_values16(below, bits + 1));
  const int32_t size = mcuc_saturate_to_int16((ratio - (1 << 13)) * 4);
  if (a == 0) {
    return 0;
  }
  return a < 0 ? -size : size;
}

#endif
