#ifndef MCUC_LAYER_NORM_H
#define MCUC_LAYER_NORM_H

#include <stdint.h>

#include "mcuc/inverse_root.h"

/* Filled by mcuc/ops/layer_norm.py. */
typedef struct mcuc_layer_norm_params {
  int32_t channels;
  float epsilon;
  const float *scale, *bias; /* [channels] */
} mcuc_layer_norm_params;

/* Filled by mcuc/ops/layer_norm.py; the rule stands in mcuc/numerics/layer_norm.py. */
typedef struct mcuc_layer_norm_integer_params {
  int32_t channels;
  int32_t shift;         /* bits that are dropped at the end */
  int32_t low, high;     /* clamping range */
  int32_t halvings;      /* of the root of the sum of squares; 0, but for tiny scales */
  const int64_t *addend; /* [1] to the sum of squares */
  const int32_t *factor; /* [channels] */
  const int64_t *offset; /* [channels], with a half */
} mcuc_layer_norm_integer_params;

/* 1 / sqrt(w), w from the sum of squares: deviations times the multiplier, shifted right, have 30
 * fractional bits.
 */
static inline int32_t mcuc_layer_norm_root(int64_t squares, const mcuc_layer_norm_integer_params *p,
                                           int32_t *right)
{
  int64_t w = (squares >> (2 * p->halvings)) + *p->addend;
  int32_t halvings = p->halvings;
  int32_t shift, multiplier;
  while (w > INT32_MAX) {
    w >>= 2;
    ++halvings;
  }
  multiplier = mcuc_inverse_root((int32_t)w, &shift);
  *right = 1 + halvings - shift;
  return multiplier;
}

/* One element from its deviation. */
static inline int32_t mcuc_layer_norm_one(int32_t deviation, int32_t multiplier, int32_t right,
                                          const mcuc_layer_norm_integer_params *p, int32_t c)
{
  const int64_t product = (int64_t)deviation * multiplier + ((int64_t)1 << (right - 1));
  const int64_t y = ((product >> right) * p->factor[c] + p->offset[c]) >> p->shift;
  if (y < p->low) {
    return p->low;
  }
  return y > p->high ? p->high : (int32_t)y;
}

#endif
