/* Rows of a sliding window: the oldest go, the new ones come behind the others.
 *
 * src[0] : all rows, any element type
 * src[1] : the new rows
 * dst    : as many bytes as src[0], which it may be
 * Bit-exact to mcuc/ops/slide_rows.py:ref.
 */
#include <string.h>

#include "mcuc/program.h"
#include "slide_rows/slide_rows.h"

MCUC_FN void mcuc_slide_rows_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_slide_rows_params *p = (const mcuc_slide_rows_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  uint8_t *dst = (uint8_t *)io->dst;

  memmove(dst, (const uint8_t *)io->src[0] + p->new_bytes, (size_t)p->kept_bytes);
  memcpy(dst + p->kept_bytes, io->src[1], (size_t)p->new_bytes);
}
