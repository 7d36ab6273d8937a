/* Activation functions of float32 made of an exponential, and powers, with the same bits on every
 * machine (see mcuc/fmath.h). The numpy twin is mcuc/numerics/float_bends.py. */
#ifndef MCUC_FBENDS_H
#define MCUC_FBENDS_H

#include "mcuc/ffunctions.h"
#include "mcuc/froots.h"

/* log(1 + exp(x)) */
static inline float mcuc_softplusf(float x)
{
  const float size = x < 0.0f ? -x : x;
  const float rest = mcuc_logf(1.0f + mcuc_expf(-size));
  return (x > 0.0f ? x : 0.0f) + rest;
}

/* x tanh(softplus(x)) */
static inline float mcuc_mishf(float x)
{
  const float e = mcuc_expf(x > 20.0f ? 20.0f : x);
  const float n = e * (e + 2.0f);
  return x * (n / (n + 2.0f));
}

static inline float mcuc_eluf(float x, float alpha)
{
  return x > 0.0f ? x : alpha * (mcuc_expf(x) - 1.0f);
}

static inline float mcuc_celuf(float x, float alpha)
{
  return x > 0.0f ? x : alpha * (mcuc_expf(x / alpha) - 1.0f);
}

/* base^exponent: products for whole exponents up to 32, else exp(exponent log(base)), off by less
 * than 1e-7 of the result times the larger of 2 and the logarithm of the result. */
static inline float mcuc_powf(float base, float exponent)
{
  const int whole = mcuc_floorf(exponent) == exponent;
  float result;

  if (whole && exponent >= -32.0f && exponent <= 32.0f) {
    int32_t count = (int32_t)(exponent < 0.0f ? -exponent : exponent);
    result = 1.0f;
    for (; count != 0; count >>= 1) {
      if (count & 1) {
        result = result * base;
      }
      base = base * base;
    }
    return exponent < 0.0f ? 1.0f / result : result;
  }
  if (exponent == 0.5f) {
    return mcuc_sqrtf(base);
  }
  if (base == 0.0f) {
    return exponent > 0.0f ? 0.0f : 1.0f / (base * base);
  }
  result = mcuc_expf(exponent * mcuc_logf(base < 0.0f ? -base : base));
  if (base < 0.0f) {
    const float half = exponent * 0.5f;
    if (!whole) {
      return (base - base) / (base - base);
    }
    return mcuc_floorf(half) != half ? -result : result;
  }
  return result;
}

#endif
