#ifndef MCUC_PAIRWISE_DIFFERENCE_H
#define MCUC_PAIRWISE_DIFFERENCE_H

#include "mcuc/requant.h"
#include "pairwise/pairwise.h"

/* rescale(a) - rescale(b) of quantized numbers, at a common scale with `bits` fractional bits. */
static inline int32_t mcuc_pairwise_difference(const mcuc_pairwise_sub_params *p, int32_t a,
                                               int32_t b, int32_t bits)
{
  const int32_t left = (a - p->a_zero) * (1 << bits);
  const int32_t right = (b - p->b_zero) * (1 << bits);
  return mcuc_multiply_by_quantized_multiplier(left, p->a_multiplier, p->a_shift) -
         mcuc_multiply_by_quantized_multiplier(right, p->b_multiplier, p->b_shift);
}

/* The result that belongs to x at that scale (or its square): rescaled and clamped. */
static inline int32_t mcuc_pairwise_rescaled(const mcuc_pairwise_sub_params *p, int32_t x)
{
  int32_t y = mcuc_multiply_by_quantized_multiplier(x, p->multiplier, p->shift) + p->out_offset;
  y = y < p->low ? p->low : y;
  return y > p->high ? p->high : y;
}

#endif
