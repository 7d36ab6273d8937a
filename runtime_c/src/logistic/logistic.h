#ifndef MCUC_LOGISTIC_H
#define MCUC_LOGISTIC_H

#include <stdint.h>

/* Filled by mcuc/ops/logistic.py. */
typedef struct mcuc_logistic_f32_params {
  int32_t channels;
} mcuc_logistic_f32_params;

/* int16. */
typedef struct mcuc_logistic_s16_params {
  int32_t channels;
  int32_t multiplier, right; /* from the input to steps of 1 / (3 * 4096) */
  const uint16_t *samples;   /* [256] sigmoid of i / 24 in steps of 2^-16 */
} mcuc_logistic_s16_params;

#endif
