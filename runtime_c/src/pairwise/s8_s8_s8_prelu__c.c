/* PRELU, int8, with broadcast: x, or below zero x times a slope, rescaled.
 *
 * a, b : pixels of `channels` int8, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` int8; may be a or b
 * Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/requant.h"
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

MCUC_FN void mcuc_pairwise_s8_s8_s8_prelu__c(const void *params, const void *call)
{
  const mcuc_pairwise_prelu_params *p = (const mcuc_pairwise_prelu_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const int8_t *a = (const int8_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    const int8_t *b = (const int8_t *)mcuc_at(io->src[1], i * io->src_step[1]);
    int8_t *dst = (int8_t *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      const int32_t x = *a - p->a_zero;
      int32_t y;
      if (x >= 0) {
        y = mcuc_multiply_by_quantized_multiplier(x, p->multiplier, p->shift);
      } else {
        y = mcuc_multiply_by_quantized_multiplier(x * (*b - p->b_zero), p->below_multiplier,
                                                  p->below_shift);
      }
      y = y + p->out_offset;
      y = y < -128 ? -128 : y;
      dst[c] = (int8_t)(y > 127 ? 127 : y);
      a += p->a_step;
      b += p->b_step;
    }
  }
}
