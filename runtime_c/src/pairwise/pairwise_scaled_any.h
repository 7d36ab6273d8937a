/* Comparisons of quantized numbers, with broadcast: bool, of (x - zero point) * 256 * scale,
 * rounded.
 *
 * Operands as in mcuc/each_pair.h; |x - zero point| < 2^16. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/part.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "pairwise/pairwise.h"

static uint8_t MCUC_PART(compare)(const mcuc_pairwise_scaled_params *p, int32_t a, int32_t b)
{
  const int32_t left = mcuc_multiply_by_quantized_multiplier((a - p->a_zero) * (1 << 8),
                                                             p->a_multiplier, p->a_shift);
  const int32_t right = mcuc_multiply_by_quantized_multiplier((b - p->b_zero) * (1 << 8),
                                                              p->b_multiplier, p->b_shift);
  switch (p->function) {
    case MCUC_PAIRWISE_LESS:
      return left < right;
    case MCUC_PAIRWISE_LESS_EQUAL:
      return left <= right;
    case MCUC_PAIRWISE_GREATER:
      return left > right;
    case MCUC_PAIRWISE_GREATER_EQUAL:
      return left >= right;
    case MCUC_PAIRWISE_EQUAL:
      return left == right;
    default:
      return left != right;
  }
}

#define MCUC_PARAMS mcuc_pairwise_scaled_params
#define MCUC_OUT uint8_t
#define MCUC_EACH(p, a, b) MCUC_PART(compare)(p, a, b)
#include "mcuc/each_pair.h"
