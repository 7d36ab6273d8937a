/* ADD, int8, with broadcast: clamp(rescale(rescale(a) + rescale(b)) + zero point).
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/add.py:ref.
 */
#include "add/add.h"
#include "mcuc/program.h"

static int32_t mcuc_add_s8(const mcuc_add_params *p, int32_t a, int32_t b)
{
  const int32_t sum = mcuc_add_sum(p, a + p->a_offset, b + p->b_offset, 20);
  return mcuc_add_clamped(p, sum + p->out_offset);
}

#define MCUC_KERNEL mcuc_add_s8_s8_s8__c
#define MCUC_PARAMS mcuc_add_params
#define MCUC_IN int8_t
#define MCUC_OUT int8_t
#define MCUC_EACH(p, a, b) mcuc_add_s8(p, a, b)
#include "mcuc/each_pair.h"
