/* LOG_SOFTMAX of float32 over the channels: dst = x - max - log(sum(exp(x - max))).
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/log_softmax.py:ref.
 */
#include "log_softmax/log_softmax.h"
#include "mcuc/ffunctions.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_log_softmax_f32_f32__c(const void *params, const void *call)
{
  const mcuc_log_softmax_params *p = (const mcuc_log_softmax_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    float greatest = src[0];
    float total = 0.0f;
    for (c = 1; c < p->channels; ++c) {
      greatest = src[c] > greatest ? src[c] : greatest;
    }
    for (c = 0; c < p->channels; ++c) {
      total += mcuc_expf(src[c] - greatest);
    }
    total = mcuc_logf(total);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = src[c] - greatest - total;
    }
  }
}
