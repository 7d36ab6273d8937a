/* QUANTIZE, int16 to int32.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int32
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

#define MCUC_KERNEL mcuc_quantize_s16_s32__c
#define MCUC_PARAMS mcuc_quantize_s16_params
#define MCUC_IN int16_t
#define MCUC_OUT int32_t
#define MCUC_EACH(p, x) mcuc_quantize_s16_one(x, p)
#include "mcuc/each.h"
