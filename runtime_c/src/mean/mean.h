#ifndef MCUC_MEAN_H
#define MCUC_MEAN_H

#include "mcuc/program.h"
#include "mcuc/requant.h"

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

/* A mean of integers from their sum, which the multiplier divides; clamped before the addition. */
static inline int32_t mcuc_mean_result(int32_t sum, int32_t multiplier, int32_t shift,
                                       int32_t out_offset, int32_t least, int32_t most)
{
  int32_t y = mcuc_multiply_by_quantized_multiplier(sum, multiplier, shift);
  y = y < least - out_offset ? least - out_offset : y;
  y = y > most - out_offset ? most - out_offset : y;
  return y + out_offset;
}

#endif
