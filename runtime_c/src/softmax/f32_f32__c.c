/* SOFTMAX over the channels of each pixel, float32.
 *
 *   e[c] = exp((x[c] - max) * beta)     y[c] = e[c] / (0 + e[0] + e[1] + ...)
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/softmax.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "softmax/softmax.h"

MCUC_FN void mcuc_softmax_f32_f32__c(const void *params, const void *call)
{
  const mcuc_softmax_f32_params *p = (const mcuc_softmax_f32_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    float max = -3.4028235e38f;
    float sum = 0.0f;
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      max = max < src[c] ? src[c] : max;
    }
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_expf((src[c] - max) * p->beta);
      sum += dst[c];
    }
    for (c = 0; c < p->channels; ++c) {
      dst[c] /= sum;
    }
  }
}
