/* FULLY_CONNECTED of int16 with int8 weights: the record that its kernel reads.
 *
 * Rule: mcuc/ops/fully_connected.py, docs/numerics.md "Operators on int16".
 */
#ifndef MCUC_FULLY_CONNECTED_S16_H
#define MCUC_FULLY_CONNECTED_S16_H

#include "mcuc/program.h"
#include "mcuc/dot_s16.h"
#include "mcuc/requant.h"

typedef struct mcuc_fully_connected_s16_params {
  const int8_t *weights;      /* [units][depth] */
  const int64_t *bias;        /* [units] */
  const uint64_t *mantissa;   /* [units] or [1]: the factor is mantissa * 2^-right_shift */
  const int16_t *right_shift; /* [units] or [1] */
  int32_t factor_step;        /* 1: a factor per unit; 0: one for all */
  int32_t depth;
  int32_t units;
  int32_t low, high; /* clamping range */
} mcuc_fully_connected_s16_params;

#endif
