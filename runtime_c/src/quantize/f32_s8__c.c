/* QUANTIZE, float32 to int8.
 *
 * src : pixels of `channels` float, 4-byte aligned
 * dst : pixels of `channels` int8
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

#define MCUC_KERNEL mcuc_quantize_f32_s8__c
#define MCUC_PARAMS mcuc_quantize_params
#define MCUC_IN float
#define MCUC_OUT int8_t
#define MCUC_EACH(p, x) mcuc_quantize_one(x, p, -128, 127)
#include "mcuc/each.h"
