/* REDUCE over all rows and columns, int32: maximum, minimum, sum or product.
 *
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include "reduce/reduce.h"

#define MCUC_KERNEL mcuc_reduce_s32_s32__c
#define MCUC_PARAMS mcuc_reduce_params
#define MCUC_ELEMENT int32_t
#define MCUC_SUM int32_t
#define MCUC_START(p) (p)->start
#define MCUC_STEP(p, acc, x) mcuc_reduce_s32_step((p)->kind, acc, x)
#define MCUC_RESULT(p, acc) (acc)
#include "mcuc/fold_pixels.h"
