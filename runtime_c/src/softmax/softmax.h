#ifndef MCUC_SOFTMAX_H
#define MCUC_SOFTMAX_H

#include <stdint.h>

/* Filled by mcuc/ops/softmax.py. */
typedef struct mcuc_softmax_params {
  int32_t channels;   /* classes, at most 8191 */
  const int32_t *exp; /* [256]: exp(-scale * d) in Q0.31 for a distance d to the maximum */
} mcuc_softmax_params;

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
