/* AVERAGE_POOL_2D of int8: the record that its kernels read.
 *
 * Rule: mcuc/ops/average_pool2d.py, docs/numerics.md "AVERAGE_POOL_2D".
 */
#ifndef MCUC_AVERAGE_POOL2D_H
#define MCUC_AVERAGE_POOL2D_H

#include "mcuc/program.h"
#include "mcuc/requant.h"

/* Channels that are summed together. */
#define MCUC_AVERAGE_POOL2D_BLOCK 16

typedef struct mcuc_average_pool2d_params {
  int32_t channels;
  int32_t stride_w;
  int32_t half_up;   /* 1: halves are rounded up; 0: away from zero */
  int32_t low, high; /* clamping range */
} mcuc_average_pool2d_params;

/* A pool over the whole map. */
typedef struct mcuc_average_pool2d_global_params {
  int32_t channels;
  int32_t elements;  /* pixels of the map */
  int32_t half_up;   /* 1: halves are rounded up; 0: away from zero */
  int32_t low, high; /* clamping range */
} mcuc_average_pool2d_global_params;

/* The mean of `elements` elements, rounded and clamped. */
static inline int32_t mcuc_average_pool2d_mean(int32_t sum, int32_t elements, int32_t half_up,
                                               int32_t low, int32_t high)
{
  int32_t mean = half_up ? mcuc_divide_rounding_half_up(sum, elements)
                         : mcuc_divide_rounding_half_away(sum, elements);
  mean = mean < low ? low : mean;
  mean = mean > high ? high : mean;
  return mean;
}

#endif
