/* LOGICAL_AND, LOGICAL_OR, EQUAL and NOT_EQUAL, bool, with broadcast.
 *
 * a, b : pixels of `channels` bytes, 0 or 1, or of one where a_step / b_step is 0; broadcast over
 *        rows and columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` bytes, 0 or 1; may be a or b
 * Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

/* `count`: how many of both operands are true. */
static uint8_t mcuc_pairwise_bool(int32_t function, int32_t count)
{
  switch (function) {
    case MCUC_PAIRWISE_LOGICAL_AND:
      return count == 2;
    case MCUC_PAIRWISE_LOGICAL_OR:
      return count != 0;
    case MCUC_PAIRWISE_EQUAL:
      return count != 1;
    default:
      return count == 1;
  }
}

#define MCUC_KERNEL mcuc_pairwise_u8_u8_u8__c
#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_IN uint8_t
#define MCUC_OUT uint8_t
#define MCUC_EACH(p, a, b) mcuc_pairwise_bool((p)->function, ((a) != 0) + ((b) != 0))
#include "mcuc/each_pair.h"
