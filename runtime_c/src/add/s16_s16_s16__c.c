/* ADD, int16, with broadcast: clamp(rescale(rescale(a) + rescale(b))).
 *
 * a, b : pixels of `channels` int16, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` int16; may be a or b
 * Intermediate values stay below 2^31. Bit-exact to mcuc/ops/add.py:ref.
 */
#include "add/add.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

#define MCUC_ADD_LEFT_SHIFT_S16 15

static inline int32_t mcuc_add_scaled_s16(int32_t x, int32_t multiplier, int32_t right)
{
  return mcuc_rounding_divide_by_pot(mcuc_saturating_rounding_doubling_high_mul(x, multiplier),
                                     right);
}

MCUC_FN void mcuc_add_s16_s16_s16__c(const void *params, const void *call)
{
  const mcuc_add_params *p = (const mcuc_add_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int16_t *a = (const int16_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    const int16_t *b = (const int16_t *)mcuc_at(io->src[1], i * io->src_step[1]);
    int16_t *dst = (int16_t *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      /* a product, as a negative number must not be shifted to the left */
      const int32_t left = *a * (1 << MCUC_ADD_LEFT_SHIFT_S16);
      const int32_t right = *b * (1 << MCUC_ADD_LEFT_SHIFT_S16);
      const int32_t sum = mcuc_add_scaled_s16(left, p->a_multiplier, p->a_right) +
                          mcuc_add_scaled_s16(right, p->b_multiplier, p->b_right);
      int32_t y = mcuc_add_scaled_s16(sum, p->multiplier, p->right);
      y = y < p->low ? p->low : y;
      y = y > p->high ? p->high : y;
      dst[c] = (int16_t)y;
      a += p->a_step;
      b += p->b_step;
    }
  }
}
