/* SOFTMAX over the channels of each pixel, int8 to int16; the output has scale 2^-16, zero point
 * -2^15.
 *
 * src : pixels of `channels` int8
 * dst : pixels of `channels` int16
 * The sum is in Q12.19: each exponential adds at most 2^19, so 8191 of them stay below 2^32.
 * Bit-exact to mcuc/ops/softmax.py:ref.
 */
#include "softmax/softmax.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

MCUC_FN void mcuc_softmax_s8_s16__c(const void *params, const void *call)
{
  const mcuc_softmax_params *p = (const mcuc_softmax_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int8_t *src = (const int8_t *)io->src[0] + i * io->src_step[0];
    int16_t *dst = (int16_t *)mcuc_to(io->dst, i * io->dst_step);
    const int32_t max = mcuc_softmax_max(src, p->channels);
    uint32_t sum = 0U; /* one 32-bit word holds 8191 elements */
    int32_t scale, bits, right, c;

    for (c = 0; c < p->channels; ++c) {
      sum += (uint32_t)mcuc_rounding_divide_by_pot(p->exp[max - src[c]], MCUC_SOFTMAX_SUM_BITS);
    }
    scale = mcuc_get_reciprocal(sum, MCUC_SOFTMAX_SUM_BITS, &bits);
    right = bits + 31 - 16; /* 16: the output has 2^16 steps */
    for (c = 0; c < p->channels; ++c) {
      const int32_t product =
          mcuc_saturating_rounding_doubling_high_mul(scale, p->exp[max - src[c]]);
      const int32_t y = mcuc_rounding_divide_by_pot(product, right) - 32768;
      dst[c] = (int16_t)(y > 32767 ? 32767 : y); /* 1.0 has no code: it must not wrap */
    }
  }
}
