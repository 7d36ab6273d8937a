/* Records of the functions on int16, filled by mcuc/ops/unary_int16.py. */
#ifndef MCUC_UNARY_S16_H
#define MCUC_UNARY_S16_H

#include <stdint.h>

typedef struct mcuc_unary_table_params {
  int32_t channels;
  const int16_t *samples; /* [513] over the range of int16 */
} mcuc_unary_table_params;

typedef struct mcuc_unary_tanh_params {
  int32_t channels;
  int32_t multiplier, right; /* from the input to steps of 1 / (3 * 4096) */
  const uint16_t *samples;   /* [256] sigmoid of i / 24 in steps of 2^-16 */
} mcuc_unary_tanh_params;

typedef struct mcuc_unary_scaled_params {
  int32_t channels;
  int32_t multiplier, shift;
  int32_t below_multiplier, below_shift; /* below zero */
  int32_t fold;                          /* 1: of the magnitude */
} mcuc_unary_scaled_params;

#endif
