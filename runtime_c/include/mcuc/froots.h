/* Square root, floor and nearest integer of float32 without a library, exact on every machine. */
#ifndef MCUC_FROOTS_H
#define MCUC_FROOTS_H

#include <stdint.h>
#include <string.h>

#if defined(__ARM_FP) && (__ARM_FP & 4)

/* The root of a positive finite number: the FPU rounds it to nearest, as IEEE 754 demands. */
static inline float mcuc_positive_root_f32(float x)
{
  float result;
  __asm__("vsqrt.f32 %0, %1" : "=t"(result) : "t"(x));
  return result;
}

#else

/* The root of a positive finite number, rounded to nearest, as IEEE 754 demands: 25 bits one by
 * one, then the rest decides. */
static inline float mcuc_positive_root_f32(float x)
{
  uint32_t bits, root = 0, rest, bit, mantissa;
  int32_t exponent;
  float result;

  memcpy(&bits, &x, sizeof bits);
  exponent = (int32_t)(bits >> 23);
  mantissa = bits & 0x7FFFFFu;
  if (exponent == 0) { /* subnormal */
    exponent = 1;
    while ((mantissa & 0x800000u) == 0u) {
      mantissa <<= 1;
      --exponent;
    }
  }
  mantissa = (mantissa | 0x800000u) << 1;
  exponent -= 127;
  if (exponent & 1) {
    mantissa <<= 1;
    --exponent;
  }
  /* floor(sqrt(mantissa * 2^23)): a bit of the root for each of 25 steps */
  rest = 0;
  for (bit = 0x1000000u; bit != 0u; bit >>= 1) {
    const uint32_t trial = rest + bit;
    if (trial <= mantissa) {
      rest = trial + bit;
      mantissa -= trial;
      root += bit;
    }
    mantissa <<= 1;
  }
  root += (mantissa != 0u ? 1u : 0u) & root; /* never a tie */
  bits = (root >> 1) + ((uint32_t)(exponent / 2 + 126) << 23);
  memcpy(&result, &bits, sizeof result);
  return result;
}

#endif

/* The root rounded to nearest; NaN below zero. */
static inline float mcuc_sqrtf(float x)
{
  if (!(x > 0.0f)) {
    return x < 0.0f ? (x - x) / (x - x) : x; /* zeros and NaN stay */
  }
  return x > 3.4028234e38f ? x : mcuc_positive_root_f32(x);
}

/* The largest integer that is not above x. */
static inline float mcuc_floorf(float x)
{
  float whole;
  if (!(x > -8388608.0f && x < 8388608.0f)) {
    return x; /* an integer already, or NaN */
  }
  whole = (float)(int32_t)x;
  if (whole == x) {
    return x; /* keeps the sign of zero */
  }
  return whole > x ? whole - 1.0f : whole;
}

/* The nearest integer, of two the even one. */
static inline float mcuc_rintf(float x)
{
  float whole = mcuc_floorf(x);
  const float rest = x - whole;
  const float half = whole * 0.5f;
  if (rest > 0.5f || (rest == 0.5f && mcuc_floorf(half) != half)) {
    whole += 1.0f;
  }
  return whole == 0.0f && x < 0.0f ? -0.0f : whole;
}

#endif
