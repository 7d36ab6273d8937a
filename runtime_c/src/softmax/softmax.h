#ifndef MCUC_SOFTMAX_H
#define MCUC_SOFTMAX_H

#include <stdint.h>

/* Filled by mcuc/ops/softmax.py. */
typedef struct mcuc_softmax_params {
  int32_t channels;   /* classes, at most 8191 */
  const int32_t *exp; /* [256]: exp(-scale * d) in Q0.31 for a distance d to the maximum */
} mcuc_softmax_params;

/* float32. Filled by mcuc/ops/softmax.py. */
typedef struct mcuc_softmax_f32_params {
  int32_t channels;
  float beta; /* factor of the logits */
} mcuc_softmax_f32_params;

#endif
