/* QUANTIZE, float32 to int16.
 *
 * src : pixels of `channels` float, 4-byte aligned
 * dst : pixels of `channels` int16
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

#define MCUC_KERNEL mcuc_quantize_f32_s16__c
#define MCUC_PARAMS mcuc_quantize_params
#define MCUC_IN float
#define MCUC_OUT int16_t
#define MCUC_EACH(p, x) mcuc_quantize_one(x, p, -32768, 32767)
#include "mcuc/each.h"
