/* L2_NORMALIZATION of float32: dst = x / max(sqrt(sum x^2), 1e-6), the sum over the channels.
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/l2_norm.py:ref.
 */
#include "l2_norm/l2_norm.h"
#include "mcuc/froots.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_l2_norm_f32_f32__c(const void *params, const void *call)
{
  const mcuc_l2_norm_params *p = (const mcuc_l2_norm_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    float root = 0.0f;
    for (c = 0; c < p->channels; ++c) {
      root += src[c] * src[c];
    }
    root = mcuc_sqrtf(root);
    root = root < 1e-6f ? 1e-6f : root;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = src[c] / root;
    }
  }
}
