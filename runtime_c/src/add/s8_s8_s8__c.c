/* ADD, int8, with broadcast: clamp(rescale(rescale(a) + rescale(b)) + zero point).
 *
 * a, b : pixels of `channels` int8, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` int8; may be a or b
 * Intermediate values stay below 2^29. Bit-exact to mcuc/ops/add.py:ref.
 */
#include "add/add.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

#define MCUC_ADD_LEFT_SHIFT 20

static inline int32_t mcuc_add_scaled(int32_t x, int32_t multiplier, int32_t right)
{
  return mcuc_rounding_divide_by_pot(mcuc_saturating_rounding_doubling_high_mul(x, multiplier),
                                     right);
}

MCUC_FN void mcuc_add_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_add_params *p = (const mcuc_add_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int8_t *a = (const int8_t *)io->src[0] + i * io->src_step[0];
    const int8_t *b = (const int8_t *)io->src[1] + i * io->src_step[1];
    int8_t *dst = (int8_t *)io->dst + i * io->dst_step;
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      /* a product, as a negative number must not be shifted to the left */
      const int32_t left = (*a + p->a_offset) * (1 << MCUC_ADD_LEFT_SHIFT);
      const int32_t right = (*b + p->b_offset) * (1 << MCUC_ADD_LEFT_SHIFT);
      const int32_t sum = mcuc_add_scaled(left, p->a_multiplier, p->a_right) +
                          mcuc_add_scaled(right, p->b_multiplier, p->b_right);
      int32_t y = mcuc_add_scaled(sum, p->multiplier, p->right) + p->out_offset;
      y = y < p->low ? p->low : y;
      y = y > p->high ? p->high : y;
      dst[c] = (int8_t)y;
      a += p->a_step;
      b += p->b_step;
    }
  }
}
