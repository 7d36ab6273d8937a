#ifndef MCUC_RELU_H
#define MCUC_RELU_H

#include <stdint.h>

/* Filled by mcuc/ops/relu.py. */
typedef struct mcuc_relu_f32_params {
  int32_t channels;
  float low, high; /* clamping range */
} mcuc_relu_f32_params;

#endif
