/* FULLY_CONNECTED of float32 with int8 weights: the record that its kernel reads.
 *
 * Rule: mcuc/ops/hybrid_weights.py, docs/numerics.md "Dynamic range".
 */
#ifndef MCUC_FULLY_CONNECTED_HYBRID_H
#define MCUC_FULLY_CONNECTED_HYBRID_H

#include "mcuc/hybrid.h"
#include "mcuc/program.h"

typedef struct mcuc_fully_connected_hybrid_params {
  const int8_t *weights; /* [units][depth] */
  const float *scales;   /* [units] of the weights */
  const float *bias;     /* [units] */
  int32_t depth;
  int32_t units;
  int32_t asymmetric; /* 1: inputs are quantized with a zero point */
  float low, high;    /* clamping range */
} mcuc_fully_connected_hybrid_params;

#endif
