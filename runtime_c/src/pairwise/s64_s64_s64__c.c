/* ADD, SUB, MUL, MAXIMUM and MINIMUM, int64, with broadcast.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

/* Sums, differences and products wrap around. */
static int64_t mcuc_pairwise_s64(int32_t function, int64_t a, int64_t b)
{
  switch (function) {
    case MCUC_PAIRWISE_ADD:
      return (int64_t)((uint64_t)a + (uint64_t)b);
    case MCUC_PAIRWISE_SUB:
      return (int64_t)((uint64_t)a - (uint64_t)b);
    case MCUC_PAIRWISE_MUL:
      return (int64_t)((uint64_t)a * (uint64_t)b);
    case MCUC_PAIRWISE_MAXIMUM:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

#define MCUC_KERNEL mcuc_pairwise_s64_s64_s64__c
#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_IN int64_t
#define MCUC_OUT int64_t
#define MCUC_EACH(p, a, b) mcuc_pairwise_s64((p)->function, a, b)
#include "mcuc/each_pair.h"
