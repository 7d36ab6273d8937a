/* QUANTIZE, float32 to uint8.
 *
 * src : pixels of `channels` float, 4-byte aligned
 * dst : pixels of `channels` uint8
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

MCUC_FN void mcuc_quantize_f32_u8__c(const void *params, const void *call)
{
  const mcuc_quantize_params *p = (const mcuc_quantize_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const float *src =
        (const float *)(const void *)((const uint8_t *)io->src[0] + i * io->src_step[0]);
    uint8_t *dst = (uint8_t *)io->dst + i * io->dst_step;
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = (uint8_t)mcuc_quantize_one(src[c], p, 0, 255);
    }
  }
}
