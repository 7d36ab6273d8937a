/* Comparisons, float32, with broadcast: bool.
 *
 * a, b : pixels of `channels` f32, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` bytes, 0 or 1
 * Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

static uint8_t mcuc_pairwise_f32_compare(int32_t function, float a, float b)
{
  switch (function) {
    case MCUC_PAIRWISE_LESS:
      return a < b;
    case MCUC_PAIRWISE_LESS_EQUAL:
      return a <= b;
    case MCUC_PAIRWISE_GREATER:
      return a > b;
    case MCUC_PAIRWISE_GREATER_EQUAL:
      return a >= b;
    case MCUC_PAIRWISE_EQUAL:
      return a == b;
    default:
      return a != b;
  }
}

MCUC_FN void mcuc_pairwise_f32_f32_u8__c(const void *params, const void *call)
{
  const mcuc_pairwise_params *p = (const mcuc_pairwise_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *a = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    const float *b = (const float *)mcuc_at(io->src[1], i * io->src_step[1]);
    uint8_t *dst = (uint8_t *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_pairwise_f32_compare(p->function, *a, *b);
      a += p->a_step;
      b += p->b_step;
    }
  }
}
