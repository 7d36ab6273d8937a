/* Activation functions of float32 made of an exponential: dst = f(src).
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/unary.py:ref.
 */
#include "mcuc/fbends.h"
#include "mcuc/program.h"
#include "unary/unary.h"

static float mcuc_unary_bends_f32(const mcuc_unary_params *p, float x)
{
  switch (p->function) {
    case MCUC_UNARY_ERF:
      return mcuc_erff(x);
    case MCUC_UNARY_SOFTPLUS:
      return mcuc_softplusf(x);
    case MCUC_UNARY_MISH:
      return mcuc_mishf(x);
    case MCUC_UNARY_ELU:
      return mcuc_eluf(x, p->alpha);
    case MCUC_UNARY_SELU:
      return p->beta * mcuc_eluf(x, p->alpha);
    default:
      return mcuc_celuf(x, p->alpha);
  }
}

MCUC_FN void mcuc_unary_f32_f32_bends__c(const void *params, const void *call)
{
  const mcuc_unary_params *p = (const mcuc_unary_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_unary_bends_f32(p, src[c]);
    }
  }
}
