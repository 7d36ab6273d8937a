#ifndef MCUC_MAX_POOL2D_F32_H
#define MCUC_MAX_POOL2D_F32_H

#include <stdint.h>

/* Filled by mcuc/ops/max_pool2d.py. */
typedef struct mcuc_max_pool2d_f32_params {
  int32_t channels;
  int32_t stride_w, dilation_w;
  float low, high; /* clamping range */
} mcuc_max_pool2d_f32_params;

#endif
