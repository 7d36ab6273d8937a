/* DEQUANTIZE, int8 to float32: (x - zero point) * scale, rounded once.
 *
 * src : pixels of `channels` int8
 * dst : pixels of `channels` float, 4-byte aligned
 * Bit-exact to mcuc/ops/dequantize.py:ref.
 */
#include "dequantize/dequantize.h"
#include "mcuc/program.h"

#define MCUC_KERNEL mcuc_dequantize_s8_f32__c
#define MCUC_PARAMS mcuc_dequantize_params
#define MCUC_IN int8_t
#define MCUC_OUT float
#define MCUC_EACH(p, x) ((float)((x) - (p)->zero_point) * (p)->scale)
#include "mcuc/each.h"
