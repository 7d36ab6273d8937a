/* DEQUANTIZE, int16 to float32: (x - zero point) * scale, rounded once.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` float
 * Bit-exact to mcuc/ops/dequantize.py:ref.
 */
#include "dequantize/dequantize.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_dequantize_s16_f32__c(const void *params, const void *call)
{
  const mcuc_dequantize_params *p = (const mcuc_dequantize_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int16_t *src = (const int16_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = (float)(src[c] - p->zero_point) * p->scale;
    }
  }
}
