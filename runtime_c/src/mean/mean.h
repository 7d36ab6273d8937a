#ifndef MCUC_MEAN_H
#define MCUC_MEAN_H

#include <stdint.h>

/* Filled by mcuc/ops/mean.py: mean over rows and columns. */
typedef struct mcuc_mean_params {
  int32_t channels;
  int32_t start; /* of each sum: minus zero point times number of elements */
  int32_t out_offset, multiplier, shift;
} mcuc_mean_params;

/* Filled by mcuc/ops/mean.py: mean over any axes. Three loops, outermost first, over the kept and
 * over the reduced axes; each is (size, stride in elements). */
typedef struct mcuc_mean_nd_params {
  const int32_t *kept;
  const int32_t *reduced;
  int32_t start;
  int32_t out_offset, multiplier, shift;
} mcuc_mean_nd_params;

/* float32, over rows and columns. */
typedef struct mcuc_mean_f32_params {
  int32_t channels;
  int32_t count; /* of elements in a mean */
} mcuc_mean_f32_params;

/* float32, over any axes; loops as in mcuc_mean_nd_params. */
typedef struct mcuc_mean_nd_f32_params {
  const int32_t *kept;
  const int32_t *reduced;
  int32_t count;
} mcuc_mean_nd_f32_params;

#endif
