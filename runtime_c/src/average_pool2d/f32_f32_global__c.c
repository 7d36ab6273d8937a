/* Average pool over the whole map, float32: clamp(sum / elements).
 *
 * Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d_f32.h"
#include "mcuc/fmath.h"
#include "mcuc/program.h"

#define MCUC_KERNEL mcuc_average_pool2d_f32_f32_global__c
#define MCUC_PARAMS mcuc_average_pool2d_f32_global_params
#define MCUC_ELEMENT float
#define MCUC_SUM float
#define MCUC_START(p) 0.0f
#define MCUC_STEP(p, sum, x) (sum) + (x)
#define MCUC_RESULT(p, sum) mcuc_clamp_f32((sum) / (float)(p)->elements, (p)->low, (p)->high)
#include "mcuc/fold_pixels.h"
