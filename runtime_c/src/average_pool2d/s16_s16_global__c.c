/* Average pool over the whole map, int16: clamp(round(sum / elements)).
 *
 * |sum| <= 2^15 * elements < 2^31 for maps of up to 65535 elements.
 * Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d.h"

#define MCUC_KERNEL mcuc_average_pool2d_s16_s16_global__c
#define MCUC_PARAMS mcuc_average_pool2d_global_params
#define MCUC_ELEMENT int16_t
#define MCUC_SUM int32_t
#define MCUC_START(p) 0
#define MCUC_STEP(p, sum, x) (sum) + (x)
#define MCUC_RESULT(p, sum) \
  mcuc_average_pool2d_mean(sum, (p)->elements, (p)->half_up, (p)->low, (p)->high)
#include "mcuc/fold_pixels.h"
