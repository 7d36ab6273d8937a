/* L2_NORMALIZATION of int8: dst = clamp(128 x / sqrt(sum x^2)), x without its zero point.
 *
 * src : pixels of `channels` int8
 * dst : pixels of `channels` int8; may be src
 * The sum of at most 2^15 squares stays below 2^31. Bit-exact to mcuc/ops/l2_norm.py:ref.
 */
#include "l2_norm/l2_norm.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

#define MCUC_L2_NORM_HIGH(a, b) mcuc_saturating_rounding_doubling_high_mul(a, b)

/* 1 / sqrt(x): a multiplier, and the shift to the left that belongs to it. Five Newton steps with
 * 28 fractional bits. */
static int32_t mcuc_l2_norm_inverse_root(int32_t x, int32_t *shift)
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
    const int32_t square = MCUC_L2_NORM_HIGH(root, root);
    const int32_t cube = mcuc_saturating_left_shift(MCUC_L2_NORM_HIGH(square, root), 6);
    const int32_t three_halves = (1 << 28) + (1 << 27);
    const int32_t step = MCUC_L2_NORM_HIGH(three_halves, root) - MCUC_L2_NORM_HIGH(half, cube);
    root = mcuc_saturating_left_shift(step, 3);
  }
  root = MCUC_L2_NORM_HIGH(root, 1518500250); /* sqrt(1/2) */
  if (right < 0) {
    root = (int32_t)((uint32_t)root << -right);
    right = 0;
  }
  *shift = -right;
  return root;
}

MCUC_FN void mcuc_l2_norm_s8_s8__c(const void *params, const void *call)
{
  const mcuc_l2_norm_params *p = (const mcuc_l2_norm_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const int8_t *src = (const int8_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    int8_t *dst = (int8_t *)mcuc_to(io->dst, i * io->dst_step);
    int32_t sum = 0;
    int32_t factor, shift;
    for (c = 0; c < p->channels; ++c) {
      const int32_t x = src[c] - p->zero_point;
      sum += x * x;
    }
    factor = mcuc_l2_norm_inverse_root(sum, &shift);
    for (c = 0; c < p->channels; ++c) {
      const int32_t x = src[c] - p->zero_point;
      int32_t y =
          mcuc_multiply_by_quantized_multiplier(x * (1 << p->before), factor, shift + p->behind);
      y = y > 127 ? 127 : y;
      dst[c] = (int8_t)(y < -128 ? -128 : y);
    }
  }
}
