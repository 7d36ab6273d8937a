/* PRELU, int8, with broadcast: x, or below zero x times a slope, rescaled.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "pairwise/pairwise.h"

static int32_t mcuc_pairwise_s8_prelu(const mcuc_pairwise_prelu_params *p, int32_t a, int32_t b)
{
  const int32_t x = a - p->a_zero;
  int32_t y;
  if (x >= 0) {
    y = mcuc_multiply_by_quantized_multiplier(x, p->multiplier, p->shift);
  } else {
    y = mcuc_multiply_by_quantized_multiplier(x * (b - p->b_zero), p->below_multiplier,
                                              p->below_shift);
  }
  y = y + p->out_offset;
  y = y < -128 ? -128 : y;
  return y > 127 ? 127 : y;
}

#define MCUC_KERNEL mcuc_pairwise_s8_s8_s8_prelu__c
#define MCUC_PARAMS mcuc_pairwise_prelu_params
#define MCUC_IN int8_t
#define MCUC_OUT int8_t
#define MCUC_EACH(p, a, b) mcuc_pairwise_s8_prelu(p, a, b)
#include "mcuc/each_pair.h"
