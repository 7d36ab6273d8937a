/* REDUCE over any axes, int64: maximum, minimum, sum or product. Sums and products wrap around.
 *
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include "reduce/reduce.h"

static int64_t mcuc_reduce_s64_step(int32_t kind, int64_t acc, int64_t x)
{
  switch (kind) {
    case MCUC_REDUCE_SUM:
      return (int64_t)((uint64_t)acc + (uint64_t)x);
    case MCUC_REDUCE_PROD:
      return (int64_t)((uint64_t)acc * (uint64_t)x);
    default:
      return (kind == MCUC_REDUCE_MAX) == (x > acc) ? x : acc;
  }
}

#define MCUC_KERNEL mcuc_reduce_s64_s64_nd__c
#define MCUC_PARAMS mcuc_reduce_s64_params
#define MCUC_ELEMENT int64_t
#define MCUC_SUM int64_t
#define MCUC_START(p) (p)->start
#define MCUC_STEP(p, acc, x) mcuc_reduce_s64_step((p)->kind, acc, x)
#define MCUC_RESULT(p, acc) (acc)
#include "mcuc/reduce_axes.h"
