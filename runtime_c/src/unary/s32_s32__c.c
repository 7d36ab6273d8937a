/* ABS, NEG and SIGN of int32, which wrap around. Bit-exact to mcuc/ops/unary_whole.py:ref.
 *
 * src : pixels of `channels` int32
 * dst : pixels of `channels` int32; may be src
 */
#include "mcuc/program.h"
#include "unary/unary_whole.h"

static int32_t mcuc_unary_s32(int32_t function, int32_t x)
{
  if (function == MCUC_UNARY_WHOLE_SIGN) {
    return (x > 0) - (x < 0);
  }
  return function == MCUC_UNARY_WHOLE_NEG || x < 0 ? (int32_t)(0U - (uint32_t)x) : x;
}

#define MCUC_KERNEL mcuc_unary_s32_s32__c
#define MCUC_PARAMS mcuc_unary_whole_params
#define MCUC_IN int32_t
#define MCUC_OUT int32_t
#define MCUC_EACH(p, x) mcuc_unary_s32((p)->function, x)
#include "mcuc/each.h"
