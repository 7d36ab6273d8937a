/* SUB, DIV, SQUARED_DIFFERENCE, MAXIMUM, MINIMUM and PRELU, float32, with broadcast.
 *
 * a, b : pixels of `channels` f32, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` f32; may be a or b
 * Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

static float mcuc_pairwise_f32(int32_t function, float a, float b)
{
  switch (function) {
    case MCUC_PAIRWISE_SUB:
      return a - b;
    case MCUC_PAIRWISE_DIV:
      return a / b;
    case MCUC_PAIRWISE_SQUARED_DIFFERENCE:
      return (a - b) * (a - b);
    case MCUC_PAIRWISE_MAXIMUM:
      return a > b ? a : b;
    case MCUC_PAIRWISE_MINIMUM:
      return a < b ? a : b;
    default:
      return a >= 0.0f ? a : a * b;
  }
}

MCUC_FN void mcuc_pairwise_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_pairwise_f32_params *p = (const mcuc_pairwise_f32_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *a = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    const float *b = (const float *)mcuc_at(io->src[1], i * io->src_step[1]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_clamp_f32(mcuc_pairwise_f32(p->function, *a, *b), p->low, p->high);
      a += p->a_step;
      b += p->b_step;
    }
  }
}
