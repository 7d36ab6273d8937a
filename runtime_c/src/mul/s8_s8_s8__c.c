/* MUL, int8, with broadcast: clamp(rescale((a - za) * (b - zb)) + zero point).
 *
 * a, b : pixels of `channels` int8, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` int8; may be a or b
 * |product| <= 255 * 255. Bit-exact to mcuc/ops/mul.py:ref.
 */
#include "mul/mul.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

MCUC_FN void mcuc_mul_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_mul_params *p = (const mcuc_mul_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int8_t *a = (const int8_t *)io->src[0] + i * io->src_step[0];
    const int8_t *b = (const int8_t *)io->src[1] + i * io->src_step[1];
    int8_t *dst = (int8_t *)io->dst + i * io->dst_step;
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      const int32_t product = (*a + p->a_offset) * (*b + p->b_offset);
      const int32_t scaled =
          mcuc_multiply_by_quantized_multiplier(product, p->multiplier, p->shift);
      /* clamped before the addition: a large scale may bring it near the ends of int32 */
      int32_t y = scaled < p->low - p->out_offset ? p->low - p->out_offset : scaled;
      y = y > p->high - p->out_offset ? p->high - p->out_offset : y;
      dst[c] = (int8_t)(y + p->out_offset);
      a += p->a_step;
      b += p->b_step;
    }
  }
}
