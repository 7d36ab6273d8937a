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

MCUC_FN void mcuc_pairwise_u8_u8_u8__c(const void *params, const void *call)
{
  const mcuc_pairwise_params *p = (const mcuc_pairwise_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const uint8_t *a = (const uint8_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    const uint8_t *b = (const uint8_t *)mcuc_at(io->src[1], i * io->src_step[1]);
    uint8_t *dst = (uint8_t *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_pairwise_bool(p->function, (*a != 0) + (*b != 0));
      a += p->a_step;
      b += p->b_step;
    }
  }
}
