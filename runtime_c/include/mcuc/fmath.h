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

/* Outputs that are summed at once: they share the loads of their input. */
#define MCUC_DOT_F32 4

/* acc[k] + x[0] * w[k * stride] + x[1] * w[k * stride + 1] + ..., n products, for `rows` of
 * MCUC_DOT_F32 rows of weights. Each sum goes through its products in order. */
static inline void mcuc_dot_f32(float *acc, const float *x, const float *w, int32_t stride,
                                int32_t rows, int32_t n)
{
  int32_t i;
  if (rows == MCUC_DOT_F32) {
    const float *w1 = w + stride;
    const float *w2 = w1 + stride;
    const float *w3 = w2 + stride;
    float a0 = acc[0];
    float a1 = acc[1];
    float a2 = acc[2];
    float a3 = acc[3];
    for (i = 0; i < n; ++i) {
      const float value = x[i];
      a0 += value * w[i];
      a1 += value * w1[i];
      a2 += value * w2[i];
      a3 += value * w3[i];
    }
    acc[0] = a0;
    acc[1] = a1;
    acc[2] = a2;
    acc[3] = a3;
    return;
  }
  for (; rows > 0; --rows) {
    float a = *acc;
    for (i = 0; i < n; ++i) {
      a += x[i] * w[i];
    }
    *acc++ = a;
    w += stride;
  }
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

/* 1 / (1 + exp(-x)); 1 above 16.619, exp(x) below -9. */
static inline float mcuc_logisticf(float x)
{
  if (x > 16.619047164916992f) {
    return 1.0f;
  }
  if (x < -9.0f) {
    return mcuc_expf(x);
  }
  return 1.0f / (1.0f + mcuc_expf(-x));
}

#endif
