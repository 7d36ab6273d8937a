/* FLOOR_MOD, int64, with broadcast: the rest, of the sign of b; 0 where b is
 * 0.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

static int64_t mcuc_pairwise_s64_floor(int32_t function, int64_t a, int64_t b)
{
  int64_t rest;
  if (b == 0 || b == -1) {
    return 0; /* -2^63 / -1 is no number */
  }
  rest = a % b;
  (void)function;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

#define MCUC_KERNEL mcuc_pairwise_s64_s64_s64_floor__c
#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_IN int64_t
#define MCUC_OUT int64_t
#define MCUC_EACH(p, a, b) mcuc_pairwise_s64_floor((p)->function, a, b)
#include "mcuc/each_pair.h"
