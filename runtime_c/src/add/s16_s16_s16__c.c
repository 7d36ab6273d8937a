/* ADD, int16, with broadcast: clamp(rescale(rescale(a) + rescale(b))).
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/add.py:ref.
 */
#include "add/add.h"
#include "mcuc/program.h"

#define MCUC_KERNEL mcuc_add_s16_s16_s16__c
#define MCUC_PARAMS mcuc_add_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, a, b) mcuc_add_clamped(p, mcuc_add_sum(p, a, b, 15))
#include "mcuc/each_pair.h"
