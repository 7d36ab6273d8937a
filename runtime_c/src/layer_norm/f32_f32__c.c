/* Layer normalization of float32 over the channels:
 *
 *   y = (x - m) (1 / sqrt(v + epsilon)) scale + bias,  m, v: mean and variance of the pixel
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/layer_norm.py:ref.
 */
#include "layer_norm/layer_norm.h"
#include "mcuc/froots.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_layer_norm_f32_f32__c(const void *params, const void *call)
{
  const mcuc_layer_norm_params *p = (const mcuc_layer_norm_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  const float count = (float)p->channels;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    float mean = 0.0f;
    float variance = 0.0f;
    float factor;
    for (c = 0; c < p->channels; ++c) {
      mean += src[c];
    }
    mean = mean / count;
    for (c = 0; c < p->channels; ++c) {
      const float centered = src[c] - mean;
      variance += centered * centered;
    }
    factor = 1.0f / mcuc_sqrtf(variance / count + p->epsilon);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = (src[c] - mean) * factor * p->scale[c] + p->bias[c];
    }
  }
}
