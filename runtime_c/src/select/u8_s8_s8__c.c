/* SELECT: dst = condition ? yes : no, with broadcast, of any element type.
 *
 * in[0]    : condition, bytes, 0 or 1
 * in[1, 2] : yes, no: elements of `bytes` bytes
 * dst      : n pixels of `channels` elements
 * Bit-exact to mcuc/ops/select.py:ref.
 */
#include <string.h>

#include "mcuc/program.h"
#include "select/select.h"

MCUC_FN void mcuc_select_u8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_select_params *p = (const mcuc_select_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const uint8_t *src[3];
  int32_t pixel[3];
  int32_t k, i, c;

  for (k = 0; k < 3; ++k) {
    pixel[k] = p->column[k] * io->in[k].view.pixel_stride;
    src[k] = mcuc_source_row(io, k, p->row[k] * io->y) + io->x * pixel[k];
  }
  for (i = 0; i < io->n; ++i) {
    uint8_t *dst = (uint8_t *)io->dst + i * io->dst_step;
    for (c = 0; c < p->channels; ++c) {
      const int32_t choice = src[0][c * p->step[0]] != 0 ? 1 : 2;
      memcpy(dst, src[choice] + c * p->step[choice] * p->bytes, (size_t)p->bytes);
      dst += p->bytes;
    }
    for (k = 0; k < 3; ++k) {
      src[k] += pixel[k];
    }
  }
}
