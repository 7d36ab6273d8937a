/* L2_NORMALIZATION of int8: dst = clamp(128 x / sqrt(sum x^2)), x without its zero point.
 *
 * src : pixels of `channels` int8
 * dst : pixels of `channels` int8; may be src
 * The sum of at most 2^15 squares stays below 2^31. Bit-exact to mcuc/ops/l2_norm.py:ref.
 */
#include "l2_norm/l2_norm.h"
#include "mcuc/inverse_root.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

MCUC_FN void mcuc_l2_norm_s8_s8__c(const void *params, const void *call)
{
  const mcuc_l2_norm_params *p = (const mcuc_l2_norm_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const int8_t *src = (const int8_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    int8_t *dst = (int8_t *)mcuc_to(io->dst, i * io->dst_step);
    int32_t sum = 0;
    int32_t factor, shift;
    for (c = 0; c < p->channels; ++c) {
      const int32_t x = src[c] - p->zero_point;
      sum += x * x;
    }
    factor = mcuc_inverse_root(sum, &shift);
    for (c = 0; c < p->channels; ++c) {
      const int32_t x = src[c] - p->zero_point;
      int32_t y =
          mcuc_multiply_by_quantized_multiplier(x * (1 << p->before), factor, shift + p->behind);
      y = y > 127 ? 127 : y;
      dst[c] = (int8_t)(y < -128 ? -128 : y);
    }
  }
}
