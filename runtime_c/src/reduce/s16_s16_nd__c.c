/* REDUCE over any axes, int16: maximum or minimum.
 *
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include "reduce/reduce.h"

#define MCUC_KERNEL mcuc_reduce_s16_s16_nd__c
#define MCUC_PARAMS mcuc_reduce_params
#define MCUC_ELEMENT int16_t
#define MCUC_SUM MCUC_ELEMENT
#define MCUC_START(p) (p)->start
#define MCUC_STEP(p, acc, x) mcuc_reduce_step((p)->kind, acc, x)
#define MCUC_RESULT(p, acc) (acc)
#include "mcuc/reduce_axes.h"
