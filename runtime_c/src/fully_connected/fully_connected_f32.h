/* FULLY_CONNECTED of float32: the record that its kernel reads.
 *
 * Rule: mcuc/ops/float_weights.py, docs/numerics.md "Operators on float32".
 */
#ifndef MCUC_FULLY_CONNECTED_F32_H
#define MCUC_FULLY_CONNECTED_F32_H

#include "mcuc/fmath.h"
#include "mcuc/program.h"

typedef struct mcuc_fully_connected_f32_params {
  const float *weights; /* [units][depth] */
  const float *bias;    /* [units] */
  int32_t depth;
  int32_t units;
  float low, high; /* clamping range */
} mcuc_fully_connected_f32_params;

#endif
