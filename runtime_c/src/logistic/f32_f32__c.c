/* LOGISTIC of float32: 1 / (1 + exp(-x)); 1 above 16.619, exp(x) below -9.
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/logistic.py:ref.
 */
#include "logistic/logistic.h"
#include "mcuc/fmath.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_logistic_f32_f32__c(const void *params, const void *call)
{
  const mcuc_logistic_f32_params *p = (const mcuc_logistic_f32_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_logisticf(src[c]);
    }
  }
}
