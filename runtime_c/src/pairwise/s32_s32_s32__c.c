/* ADD, SUB, MUL, DIV, MAXIMUM and MINIMUM, int32, with broadcast.
 *
 * a, b : pixels of `channels` int32, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` int32; may be a or b
 * Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

/* Sums, differences and products wrap around; a quotient by 0 is 0. */
static int32_t mcuc_pairwise_s32(int32_t function, int32_t a, int32_t b)
{
  switch (function) {
    case MCUC_PAIRWISE_ADD:
      return (int32_t)((uint32_t)a + (uint32_t)b);
    case MCUC_PAIRWISE_SUB:
      return (int32_t)((uint32_t)a - (uint32_t)b);
    case MCUC_PAIRWISE_MUL:
      return (int32_t)((uint32_t)a * (uint32_t)b);
    case MCUC_PAIRWISE_DIV:
      if (b == -1) {
        return (int32_t)(0U - (uint32_t)a);
      }
      return b == 0 ? 0 : a / b;
    case MCUC_PAIRWISE_MAXIMUM:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

MCUC_FN void mcuc_pairwise_s32_s32_s32__c(const void *params, const void *call)
{
  const mcuc_pairwise_params *p = (const mcuc_pairwise_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const int32_t *a = (const int32_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    const int32_t *b = (const int32_t *)mcuc_at(io->src[1], i * io->src_step[1]);
    int32_t *dst = (int32_t *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_pairwise_s32(p->function, *a, *b);
      a += p->a_step;
      b += p->b_step;
    }
  }
}
