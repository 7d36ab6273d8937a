/*
 * Activations quantized at run time, for float32 operators with int8 weights.
 *
 * The numpy twin is `mcuc/numerics/hybrid.py`; the rule stands in docs/numerics.md, "Dynamic
 * range". The scale is found in double, as TFLite does: the same bits on every machine, also
 * without an FPU.
 */
#ifndef MCUC_HYBRID_H
#define MCUC_HYBRID_H

#include <stdint.h>

#include "mcuc/fmath.h"

/* Integers q stand for scale * (q - zero). */
typedef struct mcuc_hybrid_scale {
  float scale;
  int32_t zero;
} mcuc_hybrid_scale;

/* x, rounded half away from zero and clamped to [low, high]. */
static inline int32_t mcuc_hybrid_round(float x, int32_t low, int32_t high)
{
  int32_t whole;
  float rest;
  x = x < -1024.0f ? -1024.0f : x;
  x = x > 1024.0f ? 1024.0f : x;
  whole = (int32_t)x;
  rest = x - (float)whole;
  whole += rest >= 0.5f ? 1 : 0;
  whole -= rest <= -0.5f ? 1 : 0;
  whole = whole < low ? low : whole;
  return whole > high ? high : whole;
}

/* One scale and zero point for all numbers from low <= 0 to high >= 0, not both 0. */
static inline mcuc_hybrid_scale mcuc_hybrid_asymmetric(float low, float high)
{
  const float step = (high - low) / 255.0f;
  const float below = low / step; /* at most 0 */
  const float above = high / step;
  /* From the end whose quotient is smaller, which is off by less. */
  const float exact = 128.0f - below < 127.0f + above ? -128.0f - below : 127.0f - above;
  mcuc_hybrid_scale result;
  result.scale = step;
  result.zero = mcuc_hybrid_round(exact, -128, 127);
  return result;
}

/* Quantizes n finite numbers with a scale of their own. */
static inline mcuc_hybrid_scale mcuc_hybrid_quantize(const float *x, int8_t *q, int32_t n,
                                                     int32_t asymmetric)
{
  mcuc_hybrid_scale result = {1.0f, 0};
  float low = 0.0f;
  float high = 0.0f;
  float inverse;
  int32_t i;

  for (i = 0; i < n; ++i) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  if (!(low < high)) {
    memset(q, 0, (size_t)n);
    return result;
  }
  if (asymmetric) {
    result = mcuc_hybrid_asymmetric(low, high);
    inverse = 1.0f / result.scale;
    for (i = 0; i < n; ++i) {
      q[i] = (int8_t)(result.zero +
                      mcuc_hybrid_round(x[i] * inverse, -128 - result.zero, 127 - result.zero));
    }
    return result;
  }
  high = -low > high ? -low : high;
  result.scale = high / 127.0f;
  inverse = 127.0f / high;
  for (i = 0; i < n; ++i) {
    q[i] = (int8_t)mcuc_hybrid_round(x[i] * inverse, -127, 127);
  }
  return result;
}

#endif
