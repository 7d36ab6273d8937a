/* Comparisons, of any element type, with broadcast: bool. Operands as in mcuc/each_pair.h.
 *
 * Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/part.h"
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

static uint8_t MCUC_PART(compare)(int32_t function, MCUC_IN a, MCUC_IN b)
{
  switch (function) {
    case MCUC_PAIRWISE_LESS:
      return a < b;
    case MCUC_PAIRWISE_LESS_EQUAL:
      return a <= b;
    case MCUC_PAIRWISE_GREATER:
      return a > b;
    case MCUC_PAIRWISE_GREATER_EQUAL:
      return a >= b;
    case MCUC_PAIRWISE_EQUAL:
      return a == b;
    default:
      return a != b;
  }
}

#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_OUT uint8_t
#define MCUC_EACH(p, a, b) MCUC_PART(compare)((p)->function, a, b)
#include "mcuc/each_pair.h"
