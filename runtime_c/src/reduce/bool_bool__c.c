/* REDUCE over all rows and columns, bool: whether any or all are true.
 *
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include "reduce/reduce.h"

#define MCUC_KERNEL mcuc_reduce_bool_bool__c
#define MCUC_PARAMS mcuc_reduce_params
#define MCUC_ELEMENT uint8_t
#define MCUC_SUM int32_t
#define MCUC_START(p) (p)->start
#define MCUC_STEP(p, acc, x) mcuc_reduce_step((p)->kind, acc, x)
#define MCUC_RESULT(p, acc) (acc)
#include "mcuc/fold_pixels.h"
