/* QUANTIZE, int16 to int32.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int32
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

MCUC_FN void mcuc_quantize_s16_s32__c(const void *params, const void *call)
{
  const mcuc_quantize_s16_params *p = (const mcuc_quantize_s16_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int16_t *src = (const int16_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    int32_t *dst = (int32_t *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_quantize_s16_one(src[c], p);
    }
  }
}
