/* POW, float32, with broadcast.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/fbends.h"
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

#define MCUC_KERNEL mcuc_pairwise_f32_f32_f32_pow__c
#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, a, b) mcuc_powf(a, b)
#include "mcuc/each_pair.h"
