#ifndef MCUC_SVDF_FEATURE_H
#define MCUC_SVDF_FEATURE_H

#include <stdint.h>

/* Filled by mcuc/ops/svdf_feature.py. */
typedef struct mcuc_svdf_feature_params {
  int32_t filters, memory, depth;
  const int8_t *weights; /* [filters][depth] */
  const int32_t *bias;   /* [filters]: what the input's zero point adds */
  int32_t multiplier, shift;
  int32_t zero_point; /* of the state, which holds numbers without it */
} mcuc_svdf_feature_params;

typedef struct mcuc_svdf_feature_f32_params {
  int32_t filters, memory, depth;
  const float *weights; /* [filters][depth] */
} mcuc_svdf_feature_f32_params;

#endif
