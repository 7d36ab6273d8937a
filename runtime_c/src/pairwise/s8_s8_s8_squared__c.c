/* SQUARED_DIFFERENCE, int8, with broadcast: clamp(rescale((rescale(a) - rescale(b))^2) + zero
 * point).
 *
 * a, b : pixels of `channels` int8, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` int8; may be a or b
 * Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/requant.h"
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

MCUC_FN void mcuc_pairwise_s8_s8_s8_squared__c(const void *params, const void *call)
{
  const mcuc_pairwise_sub_params *p = (const mcuc_pairwise_sub_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const int8_t *a = (const int8_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    const int8_t *b = (const int8_t *)mcuc_at(io->src[1], i * io->src_step[1]);
    int8_t *dst = (int8_t *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      const int32_t left = (*a - p->a_zero) * (1 << 7);
      const int32_t right = (*b - p->b_zero) * (1 << 7);
      const int32_t difference =
          mcuc_multiply_by_quantized_multiplier(left, p->a_multiplier, p->a_shift) -
          mcuc_multiply_by_quantized_multiplier(right, p->b_multiplier, p->b_shift);
      int32_t y =
          mcuc_multiply_by_quantized_multiplier(difference * difference, p->multiplier, p->shift);
      y = y + p->out_offset;
      y = y < p->low ? p->low : y;
      dst[c] = (int8_t)(y > p->high ? p->high : y);
      a += p->a_step;
      b += p->b_step;
    }
  }
}
