/* DEQUANTIZE, int16 to float32: (x - zero point) * scale, rounded once.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` float
 * Bit-exact to mcuc/ops/dequantize.py:ref.
 */
#include "dequantize/dequantize.h"
#include "mcuc/program.h"

#define MCUC_KERNEL mcuc_dequantize_s16_f32__c
#define MCUC_PARAMS mcuc_dequantize_params
#define MCUC_IN int16_t
#define MCUC_OUT float
#define MCUC_EACH(p, x) ((float)((x) - (p)->zero_point) * (p)->scale)
#include "mcuc/each.h"
