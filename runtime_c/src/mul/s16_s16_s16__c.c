/* MUL, int16, with broadcast: clamp(rescale(a * b)).
 *
 * Operands as in mcuc/each_pair.h. |product| <= 2^30. Bit-exact to mcuc/ops/mul.py:ref.
 */
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "mul/mul.h"

static int32_t mcuc_mul_s16(const mcuc_mul_params *p, int32_t a, int32_t b)
{
  int32_t y = mcuc_multiply_by_quantized_multiplier(a * b, p->multiplier, p->shift);
  y = y < p->low ? p->low : y;
  return y > p->high ? p->high : y;
}

#define MCUC_KERNEL mcuc_mul_s16_s16_s16__c
#define MCUC_PARAMS mcuc_mul_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, a, b) mcuc_mul_s16(p, a, b)
#include "mcuc/each_pair.h"
