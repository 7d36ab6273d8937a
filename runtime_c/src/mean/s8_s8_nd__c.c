/* MEAN over any axes, int8: clamp(rescale(sum of (x - zero point)) + zero point), with the
 * division by the number of elements in the multiplier. |sum| <= 2^23 * 255 < 2^31. Bit-exact to
 * mcuc/ops/mean.py:ref.
 */
#include "mean/mean.h"

#define MCUC_KERNEL mcuc_mean_s8_s8_nd__c
#define MCUC_PARAMS mcuc_mean_nd_params
#define MCUC_ELEMENT int8_t
#define MCUC_SUM int32_t
#define MCUC_START(p) (p)->start
#define MCUC_STEP(p, sum, x) (sum) + (x)
#define MCUC_RESULT(p, sum) \
  mcuc_mean_result(sum, (p)->multiplier, (p)->shift, (p)->out_offset, INT8_MIN, INT8_MAX)
#include "mcuc/reduce_axes.h"
