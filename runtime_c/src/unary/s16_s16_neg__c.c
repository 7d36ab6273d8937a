/* NEG of int16, which wraps around. Bit-exact to mcuc/ops/unary_whole.py:ref.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int16; may be src
 */
#include "mcuc/program.h"
#include "unary/unary_whole.h"

#define MCUC_KERNEL mcuc_unary_s16_s16_neg__c
#define MCUC_PARAMS mcuc_unary_whole_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, x) -(x)
#include "mcuc/each.h"
