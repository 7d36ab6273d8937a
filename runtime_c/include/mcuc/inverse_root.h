/* One over the square root of an integer, as TFLite's `GetInvSqrtQuantizedMultiplierExp` has it. */
#ifndef MCUC_INVERSE_ROOT_H
#define MCUC_INVERSE_ROOT_H

#include <stdint.h>

#include "mcuc/requant.h"

#define MCUC_ROOT_HIGH(a, b) mcuc_saturating_rounding_doubling_high_mul(a, b)

/* 1 / sqrt(x): a multiplier, and the shift to the left that belongs to it. Five Newton steps with
 * 28 fractional bits; the numpy twin is mcuc/numerics/inverse_root.py. */
static inline int32_t mcuc_inverse_root(int32_t x, int32_t *shift)
{
  int32_t right = 11;
  int32_t root = 1 << 28;
  int32_t pairs, half, i;

  if (x <= 1) {
    *shift = 0;
    return INT32_MAX;
  }
  while (x >= (1 << 29)) {
    x /= 4;
    ++right;
  }
  pairs = (mcuc_count_leading_zeros((uint32_t)x) - 1) / 2 - 1;
  right -= pairs;
  half = mcuc_rounding_divide_by_pot((int32_t)((uint32_t)x << (2 * pairs)) >> 1, 1);
  for (i = 0; i < 5; ++i) {
    const int32_t square = MCUC_ROOT_HIGH(root, root);
    const int32_t cube = mcuc_saturating_left_shift(MCUC_ROOT_HIGH(square, root), 6);
    const int32_t three_halves = (1 << 28) + (1 << 27);
    const int32_t step = MCUC_ROOT_HIGH(three_halves, root) - MCUC_ROOT_HIGH(half, cube);
    root = mcuc_saturating_left_shift(step, 3);
  }
  root = MCUC_ROOT_HIGH(root, 1518500250); /* sqrt(1/2) */
  if (right < 0) {
    root = (int32_t)((uint32_t)root << -right);
    right = 0;
  }
  *shift = -right;
  return root;
}

#endif
