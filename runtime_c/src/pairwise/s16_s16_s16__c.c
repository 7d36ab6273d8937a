/* MAXIMUM and MINIMUM, int16, with broadcast.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

#define MCUC_KERNEL mcuc_pairwise_s16_s16_s16__c
#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, a, b) ((((p)->function == MCUC_PAIRWISE_MAXIMUM) == ((a) > (b))) ? (a) : (b))
#include "mcuc/each_pair.h"
