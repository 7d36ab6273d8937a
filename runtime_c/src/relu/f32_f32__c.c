/* RELU, RELU6 and RELU_N1_TO_1 of float32: dst = clamp(src).
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/relu.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "relu/relu.h"

MCUC_FN void mcuc_relu_f32_f32__c(const void *params, const void *call)
{
  const mcuc_relu_f32_params *p = (const mcuc_relu_f32_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_clamp_f32(src[c], p->low, p->high);
    }
  }
}
