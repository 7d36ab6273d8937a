/* MUL, int8, with broadcast: clamp(rescale((a - za) * (b - zb)) + zero point).
 *
 * Operands as in mcuc/each_pair.h. |product| <= 255 * 255. Bit-exact to mcuc/ops/mul.py:ref.
 */
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "mul/mul.h"

static int32_t mcuc_mul_s8(const mcuc_mul_params *p, int32_t a, int32_t b)
{
  const int32_t product = (a + p->a_offset) * (b + p->b_offset);
  int32_t y = mcuc_multiply_by_quantized_multiplier(product, p->multiplier, p->shift);
  /* clamped before the addition: a large scale may bring it near the ends of int32 */
  y = y < p->low - p->out_offset ? p->low - p->out_offset : y;
  y = y > p->high - p->out_offset ? p->high - p->out_offset : y;
  return y + p->out_offset;
}

#define MCUC_KERNEL mcuc_mul_s8_s8_s8__c
#define MCUC_PARAMS mcuc_mul_params
#define MCUC_IN int8_t
#define MCUC_OUT int8_t
#define MCUC_EACH(p, a, b) mcuc_mul_s8(p, a, b)
#include "mcuc/each_pair.h"
