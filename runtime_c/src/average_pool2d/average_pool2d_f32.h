#ifndef MCUC_AVERAGE_POOL2D_F32_H
#define MCUC_AVERAGE_POOL2D_F32_H

#include <stdint.h>

/* Filled by mcuc/ops/average_pool2d.py. */
typedef struct mcuc_average_pool2d_f32_params {
  int32_t channels;
  int32_t stride_w;
  float low, high; /* clamping range */
} mcuc_average_pool2d_f32_params;

/* A pool over the whole map. */
typedef struct mcuc_average_pool2d_f32_global_params {
  int32_t channels;
  int32_t elements; /* pixels of the map */
  float low, high;  /* clamping range */
} mcuc_average_pool2d_f32_global_params;

#endif
