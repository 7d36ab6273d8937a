/* QUANTIZE, float32 to uint8.
 *
 * src : pixels of `channels` float, 4-byte aligned
 * dst : pixels of `channels` uint8
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

#define MCUC_KERNEL mcuc_quantize_f32_u8__c
#define MCUC_PARAMS mcuc_quantize_params
#define MCUC_IN float
#define MCUC_OUT uint8_t
#define MCUC_EACH(p, x) mcuc_quantize_one(x, p, 0, 255)
#include "mcuc/each.h"
