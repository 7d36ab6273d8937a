#ifndef MCUC_SOFTMAX_H
#define MCUC_SOFTMAX_H

#include <stdint.h>

/* Filled by mcuc/ops/softmax.py. */
typedef struct mcuc_softmax_params {
  int32_t channels;   /* classes, at most 8191 */
  const int32_t *exp; /* [256]: exp(-scale * d) in Q0.31 for a distance d to the maximum */
} mcuc_softmax_params;

#define MCUC_SOFTMAX_SUM_BITS 12 /* integer bits of the sum */

/* The greatest of n elements. */
static inline int32_t mcuc_softmax_max(const int8_t *x, int32_t n)
{
  int32_t max = x[0];
  int32_t i;
  for (i = 1; i < n; ++i) {
    max = x[i] > max ? x[i] : max;
  }
  return max;
}

/* int16. Filled by mcuc/ops/softmax.py. */
typedef struct mcuc_softmax_s16_params {
  int32_t channels;          /* classes, at most 65535 */
  int32_t multiplier, shift; /* from a distance to the maximum to steps of 10/65535 */
  const int16_t *exp;        /* [513] over [-10, 0] */
  const int16_t *reciprocal; /* [513] 1 / (1 + x) over [0, 1] */
} mcuc_softmax_s16_params;

/* float32. Filled by mcuc/ops/softmax.py. */
typedef struct mcuc_softmax_f32_params {
  int32_t channels;
  float beta; /* factor of the logits */
} mcuc_softmax_f32_params;

#endif
