/* MEAN over any axes, int32: the sum of 64 bits, which wraps around, divided and cut off.
 *
 * Bit-exact to mcuc/ops/mean.py:ref.
 */
#include "mcuc/program.h"
#include "mean/mean_whole.h"

#define MCUC_KERNEL mcuc_mean_s32_s32_nd__c
#define MCUC_PARAMS mcuc_mean_nd_whole_params
#define MCUC_ELEMENT int32_t
#define MCUC_SUM int64_t
#define MCUC_START(p) 0
#define MCUC_STEP(p, sum, x) ((uint64_t)(sum) + (uint64_t)(x))
#define MCUC_RESULT(p, sum) ((sum) / (p)->count)
#include "mcuc/reduce_axes.h"
