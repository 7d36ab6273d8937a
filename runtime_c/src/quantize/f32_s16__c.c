/* QUANTIZE, float32 to int16.
 *
 * src : pixels of `channels` float, 4-byte aligned
 * dst : pixels of `channels` int16
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

MCUC_FN void mcuc_quantize_f32_s16__c(const void *params, const void *call)
{
  const mcuc_quantize_params *p = (const mcuc_quantize_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    int16_t *dst = (int16_t *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = (int16_t)mcuc_quantize_one(src[c], p, -32768, 32767);
    }
  }
}
