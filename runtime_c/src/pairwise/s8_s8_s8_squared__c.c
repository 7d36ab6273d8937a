/* SQUARED_DIFFERENCE, int8, with broadcast: clamp(rescale((rescale(a) - rescale(b))^2) + zero
 * point).
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise_difference.h"

static int32_t mcuc_pairwise_s8_squared(const mcuc_pairwise_sub_params *p, int32_t a, int32_t b)
{
  const int32_t difference = mcuc_pairwise_difference(p, a, b, 7);
  return mcuc_pairwise_rescaled(p, difference * difference);
}

#define MCUC_KERNEL mcuc_pairwise_s8_s8_s8_squared__c
#define MCUC_PARAMS mcuc_pairwise_sub_params
#define MCUC_IN int8_t
#define MCUC_OUT int8_t
#define MCUC_EACH(p, a, b) mcuc_pairwise_s8_squared(p, a, b)
#include "mcuc/each_pair.h"
