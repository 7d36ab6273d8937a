/* QUANTIZE, float32 to int8.
 *
 * src : pixels of `channels` float, 4-byte aligned
 * dst : pixels of `channels` int8
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

MCUC_FN void mcuc_quantize_f32_s8__c(const void *params, const void *call)
{
  const mcuc_quantize_params *p = (const mcuc_quantize_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const float *src =
        (const float *)(const void *)((const uint8_t *)io->src[0] + i * io->src_step[0]);
    int8_t *dst = (int8_t *)io->dst + i * io->dst_step;
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = (int8_t)mcuc_quantize_one(src[c], p, -128, 127);
    }
  }
}
