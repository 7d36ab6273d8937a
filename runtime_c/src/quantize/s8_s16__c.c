/* QUANTIZE, int8 to int16 of another scale.
 *
 * src : pixels of `channels` int8
 * dst : pixels of `channels` int16
 * Bit-exact to mcuc/ops/quantize.py:ref.
 */
#include "mcuc/program.h"
#include "quantize/quantize.h"

MCUC_FN void mcuc_quantize_s8_s16__c(const void *params, const void *call)
{
  const mcuc_quantize_s16_params *p = (const mcuc_quantize_s16_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int8_t *src = (const int8_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    int16_t *dst = (int16_t *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = (int16_t)mcuc_quantize_s16_one(src[c], p);
    }
  }
}
