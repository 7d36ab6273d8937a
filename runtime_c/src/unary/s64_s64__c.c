/* NEG of int64, which wraps around. Bit-exact to mcuc/ops/unary_whole.py:ref.
 *
 * src : pixels of `channels` int64
 * dst : pixels of `channels` int64; may be src
 */
#include "mcuc/program.h"
#include "unary/unary_whole.h"

#define MCUC_KERNEL mcuc_unary_s64_s64__c
#define MCUC_PARAMS mcuc_unary_whole_params
#define MCUC_IN int64_t
#define MCUC_OUT int64_t
#define MCUC_EACH(p, x) (int64_t)(0U - (uint64_t)(x))
#include "mcuc/each.h"
