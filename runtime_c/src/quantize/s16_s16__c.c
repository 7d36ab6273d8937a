/* QUANTIZE, int16 to int16 of another scale; also RELU and its kin, which are that with a range.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int16; may be src
 * Bit-exact to mcuc/ops/quantize.py:ref and mcuc/ops/relu.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

#define MCUC_KERNEL mcuc_quantize_s16_s16__c
#define MCUC_PARAMS mcuc_quantize_s16_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, x) mcuc_quantize_s16_one(x, p)
#include "mcuc/each.h"
