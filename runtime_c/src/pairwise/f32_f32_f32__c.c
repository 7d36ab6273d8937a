/* SUB, DIV, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM and PRELU, float32, with broadcast.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

static float mcuc_pairwise_f32(int32_t function, float a, float b)
{
  switch (function) {
    case MCUC_PAIRWISE_SUB:
      return a - b;
    case MCUC_PAIRWISE_DIV:
      return a / b;
    case MCUC_PAIRWISE_SQUARED_DIFFERENCE:
      return (a - b) * (a - b);
    case MCUC_PAIRWISE_MAXIMUM:
      return a > b ? a : b;
    case MCUC_PAIRWISE_MINIMUM:
      return a < b ? a : b;
    default:
      return a >= 0.0f ? a : a * b;
  }
}

#define MCUC_KERNEL mcuc_pairwise_f32_f32_f32__c
#define MCUC_PARAMS mcuc_pairwise_f32_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, a, b) \
  mcuc_clamp_f32(mcuc_pairwise_f32((p)->function, a, b), (p)->low, (p)->high)
#include "mcuc/each_pair.h"
