/* QUANTIZE, int16 to int8 of another scale.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int8
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

#define MCUC_KERNEL mcuc_quantize_s16_s8__c
#define MCUC_PARAMS mcuc_quantize_s16_params
#define MCUC_IN int16_t
#define MCUC_OUT int8_t
#define MCUC_EACH(p, x) mcuc_quantize_s16_one(x, p)
#include "mcuc/each.h"
