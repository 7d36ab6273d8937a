/*
 * float32 on every machine with the same bits: with and without an FPU, on the host and the board.
 *
 * Each operation is rounded to float32, in the order in which it is written. The numpy twin is
 * `mcuc/numerics/float32.py`. Whoever compiles must not let the compiler fuse multiplications with
 * additions (-ffp-contract=off; gcc's default with -std=c11) nor reorder them (no -ffast-math).
 */
#ifndef MCUC_FMATH_H
#define MCUC_FMATH_H

#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error "mcuc: -ffast-math changes the results of float32 kernels"
#endif

/* x within [low, high]; NaN stays. */
static inline float mcuc_clamp_f32(float x, float low, float high)
{
  x = x < low ? low : x;
  return high < x ? high : x;
}

/* 2^exponent for -126 <= exponent <= 127; any exponent is defined. */
static inline float mcuc_power_of_two_f32(int32_t exponent)
{
  const uint32_t bits = (((uint32_t)exponent + 127U) & 511U) << 23;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/* exp(x), off by less than 2 units in the last place; infinite from 89 on, small below -87.3. */
static inline float mcuc_expf(float x)
{
  const float round = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
  const float low = -88.0f;
  const float high = 89.0f;
  float shifted;
  float whole;
  float rest;
  float series;
  uint32_t bits;
  int32_t power;

  x = x < low ? low : x;
  x = x > high ? high : x;
  shifted = x * 1.44269504f + round;
  whole = shifted - round;
  /* ln(2) in two parts, of which the first has 9 bits: its product is exact */
  rest = (x - whole * 0.693359375f) - whole * -0.00021219444170128554f;
  /* (exp(rest) - 1 - rest) / rest^2 */
  series = 0.00139345449851f;
  series = series * rest + 0.00836377684027f;
  series = series * rest + 0.04166645556689f;
  series = series * rest + 0.16666573286057f;
  series = series * rest + 0.5f;
  series = (series * (rest * rest) + rest) + 1.0f;
  memcpy(&bits, &shifted, sizeof bits);
  power = (int32_t)(bits - 0x4B400000U); /* of two; without a meaning for NaN */
  return series * mcuc_power_of_two_f32(power >> 1) * mcuc_power_of_two_f32(power - (power >> 1));
}

#endif
