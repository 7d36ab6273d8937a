/* SUB, int16, with broadcast: clamp(rescale(rescale(a) - rescale(b)) + zero point).
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise_difference.h"

#define MCUC_KERNEL mcuc_pairwise_s16_s16_s16_sub__c
#define MCUC_PARAMS mcuc_pairwise_sub_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, a, b) mcuc_pairwise_rescaled(p, mcuc_pairwise_difference(p, a, b, 15))
#include "mcuc/each_pair.h"
