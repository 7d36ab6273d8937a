#ifndef MCUC_ADD_H
#define MCUC_ADD_H

#include "mcuc/requant.h"

/* Filled by mcuc/ops/add.py. All factors are below one: `right` shifts only. */
typedef struct mcuc_add_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t a_offset, a_multiplier, a_right;
  int32_t b_offset, b_multiplier, b_right;
  int32_t out_offset, multiplier, right;
  int32_t low, high; /* clamping range */
} mcuc_add_params;

/* For rules that are ((a * a_multiplier + b * b_multiplier + constant) >> right), clamped: the host
 * has compared them on all pairs of bytes (mcuc/ops/lines.py). */
typedef struct mcuc_add_plane_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t a_multiplier, b_multiplier;
  int32_t constant;
  int32_t right;
  int32_t low, high; /* clamping range */
} mcuc_add_plane_params;

static inline int32_t mcuc_add_scaled(int32_t x, int32_t multiplier, int32_t right)
{
  return mcuc_rounding_divide_by_pot(mcuc_saturating_rounding_doubling_high_mul(x, multiplier),
                                     right);
}

/* rescale(rescale(a) + rescale(b)) of numbers without zero point, at a common scale with `bits`
 * fractional bits; no intermediate value reaches 2^31. */
static inline int32_t mcuc_add_sum(const mcuc_add_params *p, int32_t a, int32_t b, int32_t bits)
{
  /* products, as a negative number must not be shifted to the left */
  const int32_t sum = mcuc_add_scaled(a * (1 << bits), p->a_multiplier, p->a_right) +
                      mcuc_add_scaled(b * (1 << bits), p->b_multiplier, p->b_right);
  return mcuc_add_scaled(sum, p->multiplier, p->right);
}

static inline int32_t mcuc_add_clamped(const mcuc_add_params *p, int32_t y)
{
  y = y < p->low ? p->low : y;
  return y > p->high ? p->high : y;
}

#endif
