/* Any unary op from bytes to bytes, signed or not: dst = table[src].
 *
 * src : pixels of `channels` bytes
 * dst : pixels of `channels` bytes; may be src
 * Bit-exact to the `table` of the op (mcuc/ops/lut.py).
 */
#include "lut/lut.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_lut_s8_s8__c(const void *params, const void *call)
{
  const mcuc_lut_params *p = (const mcuc_lut_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  const uint8_t *table = p->table;
  const int32_t dense = io->src_step[0] == p->channels && io->dst_step == p->channels;
  const int32_t runs = dense ? 1 : io->n;
  const int32_t length = dense ? io->n * p->channels : p->channels;
  int32_t i;

  for (i = 0; i < runs; ++i) {
    const uint8_t *src = (const uint8_t *)io->src[0] + i * io->src_step[0];
    uint8_t *dst = (uint8_t *)io->dst + i * io->dst_step;
    int32_t c;
    for (c = 0; c < length; ++c) {
      dst[c] = table[src[c]];
    }
  }
}
