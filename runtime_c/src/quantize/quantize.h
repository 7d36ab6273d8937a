#ifndef MCUC_QUANTIZE_H
#define MCUC_QUANTIZE_H

#include <stdint.h>

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
  if (!(quotient > -1024.0f)) { /* or NaN; the cast must not overflow, |zero point| < 256 */
    return low;
  }
  if (quotient > 1024.0f) {
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

#endif
