/* MEAN over any axes, int16: clamp(rescale(sum)), with the division by the number of elements in
 * the multiplier. |sum| <= 65535 * 2^15 < 2^31. Bit-exact to mcuc/ops/mean.py:ref.
 */
#include "mean/mean.h"

#define MCUC_KERNEL mcuc_mean_s16_s16_nd__c
#define MCUC_PARAMS mcuc_mean_nd_params
#define MCUC_ELEMENT int16_t
#define MCUC_SUM int32_t
#define MCUC_START(p) (p)->start
#define MCUC_STEP(p, sum, x) (sum) + (x)
#define MCUC_RESULT(p, sum) \
  mcuc_mean_result(sum, (p)->multiplier, (p)->shift, 0, INT16_MIN, INT16_MAX)
#include "mcuc/reduce_axes.h"
