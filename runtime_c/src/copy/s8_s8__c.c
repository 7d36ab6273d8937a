/* Copies pixels: an operand of CONCATENATION into its slice of the output, rows of a streamed
 * input.
 *
 * src : pixels of `bytes` bytes, any element type
 * dst : pixels of `bytes` bytes at the operand's place in the output, whose pixels may be larger
 * Bit-exact to mcuc/ops/copy_rows.py:ref.
 */
#include <string.h>

#include "copy/copy.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_copy_s8_s8__c(const void *params, const void *call)
{
  const mcuc_copy_params *p = (const mcuc_copy_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  const uint8_t *src = (const uint8_t *)io->src[0];
  uint8_t *dst = (uint8_t *)io->dst;
  int32_t i;

  if (io->src_step[0] == p->bytes && io->dst_step == p->bytes) {
    /* not memcpy: a call may span rows, and dst may lie below src and overlap it */
    memmove(dst, src, (size_t)(io->n * p->bytes));
    return;
  }
  for (i = 0; i < io->n; ++i) {
    memmove(dst + i * io->dst_step, src + i * io->src_step[0], (size_t)p->bytes);
  }
}
