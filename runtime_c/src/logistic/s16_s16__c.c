/* LOGISTIC of int16: linear interpolation in a table of half the function; results in 1/32768.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int16; may be src
 * |x * multiplier| < 2^31. Bit-exact to mcuc/numerics/sigmoid.py:logistic.
 */
#include "logistic/logistic.h"
#include "mcuc/program.h"

static int16_t mcuc_logistic_s16_one(const mcuc_logistic_s16_params *p, int32_t x)
{
  const int64_t half = ((int64_t)1 << p->right) >> 1;
  const int32_t scaled = (int32_t)(((int64_t)x * p->multiplier + half) >> p->right);
  const uint32_t size = scaled < 0 ? 0U - (uint32_t)scaled : (uint32_t)scaled;
  const uint32_t index = size >> 9;
  uint32_t value = (uint32_t)0x7FFF << 10;
  if (index < 255U) {
    const uint32_t low = p->samples[index];
    value = (low << 9) + (size & 511U) * (p->samples[index + 1U] - low);
  }
  value = scaled >= 0 ? value + 512U : ((uint32_t)1 << 25) - value + 511U;
  return (int16_t)(value >> 10);
}

MCUC_FN void mcuc_logistic_s16_s16__c(const void *params, const void *call)
{
  const mcuc_logistic_s16_params *p = (const mcuc_logistic_s16_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int16_t *src = (const int16_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    int16_t *dst = (int16_t *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_logistic_s16_one(p, src[c]);
    }
  }
}
