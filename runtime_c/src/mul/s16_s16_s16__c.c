/* MUL, int16, with broadcast: clamp(rescale(a * b)).
 *
 * a, b : pixels of `channels` int16, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` int16; may be a or b
 * |product| <= 2^30. Bit-exact to mcuc/ops/mul.py:ref.
 */
#include "mul/mul.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

MCUC_FN void mcuc_mul_s16_s16_s16__c(const void *params, const void *call)
{
  const mcuc_mul_params *p = (const mcuc_mul_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int16_t *a = (const int16_t *)mcuc_at(io->src[0], i * io->src_step[0]);
    const int16_t *b = (const int16_t *)mcuc_at(io->src[1], i * io->src_step[1]);
    int16_t *dst = (int16_t *)mcuc_to(io->dst, i * io->dst_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      const int32_t product = *a * *b;
      const int32_t scaled =
          mcuc_multiply_by_quantized_multiplier(product, p->multiplier, p->shift);
      const int32_t y = scaled < p->low ? p->low : scaled;
      dst[c] = (int16_t)(y > p->high ? p->high : y);
      a += p->a_step;
      b += p->b_step;
    }
  }
}
