/* RELU, RELU6 and RELU_N1_TO_1 of float32: dst = clamp(src).
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/relu.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "relu/relu.h"

#define MCUC_KERNEL mcuc_relu_f32_f32__c
#define MCUC_PARAMS mcuc_relu_f32_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, x) mcuc_clamp_f32(x, (p)->low, (p)->high)
#include "mcuc/each.h"
