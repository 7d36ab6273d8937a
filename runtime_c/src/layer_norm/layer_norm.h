#ifndef MCUC_LAYER_NORM_H
#define MCUC_LAYER_NORM_H

#include <stdint.h>

/* Filled by mcuc/ops/layer_norm.py. */
typedef struct mcuc_layer_norm_params {
  int32_t channels;
  float epsilon;
  const float *scale, *bias; /* [channels] */
} mcuc_layer_norm_params;

#endif
