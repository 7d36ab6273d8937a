#ifndef MCUC_QUANTIZE_H
#define MCUC_QUANTIZE_H

#include <stdint.h>

#include "mcuc/requant.h"

/* Filled by mcuc/ops/quantize.py. */
typedef struct mcuc_quantize_params {
  int32_t channels;
  float scale;
  int32_t zero_point;
} mcuc_quantize_params;

/* x / scale, halves rounded away from zero, plus the zero point, clamped. NaN gives the least
 * value. The division is IEEE's, so that every machine gives the same bits. */
static inline int32_t mcuc_quantize_one(float x, const mcuc_quantize_params *p, int32_t low,
                                        int32_t high)
{
  const float quotient = x / p->scale;
  int32_t whole;
  float rest;
  if (!(quotient > -65536.0f)) { /* or NaN; the cast must not overflow, |zero point| < 256 */
    return low;
  }
  if (quotient > 65536.0f) {
    return high;
  }
  whole = (int32_t)quotient;
  rest = quotient - (float)whole; /* exact */
  whole += rest >= 0.5f ? 1 : 0;
  whole -= rest <= -0.5f ? 1 : 0;
  whole += p->zero_point;
  if (whole < low) {
    return low;
  }
  return whole > high ? high : whole;
}

/* From int16 or to it, of other scale. */
typedef struct mcuc_quantize_s16_params {
  int32_t channels;
  int32_t in_zero; /* of int16: 0, or -32768 */
  int32_t multiplier, shift;
  int32_t zero_point; /* of the result */
  int32_t low, high;  /* clamping range */
} mcuc_quantize_s16_params;

/* x times the factor plus the zero point, clamped. */
static inline int32_t mcuc_quantize_s16_one(int32_t x, const mcuc_quantize_s16_params *p)
{
  int32_t y = mcuc_multiply_by_quantized_multiplier(x - p->in_zero, p->multiplier, p->shift);
  /* clamped before the addition, which may then not overflow */
  y = y < p->low - p->zero_point ? p->low - p->zero_point : y;
  y = y > p->high - p->zero_point ? p->high - p->zero_point : y;
  return y + p->zero_point;
}

#endif
