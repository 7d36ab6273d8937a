/* POW, float32, with broadcast.
 *
 * a, b : pixels of `channels` f32, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` f32; may be a or b
 * Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/fbends.h"
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

MCUC_FN void mcuc_pairwise_f32_f32_f32_pow__c(const void *params, const void *call)
{
  const mcuc_pairwise_params *p = (const mcuc_pairwise_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *a = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    const float *b = (const float *)mcuc_at(io->src[1], i * io->src_step[1]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_powf(*a, *b);
      a += p->a_step;
      b += p->b_step;
    }
  }
}
