/* CONCATENATION: a row of the output from the rows of its operands, whatever their element type.
 *
 * src : rows of the operands, pixels of any size
 * dst : n pixels
 * Bit-exact to mcuc/ops/concatenation.py:ref.
 */
#include <string.h>

#include "concatenation/concatenation.h"
#include "mcuc/program.h"

/* n pixels of `bytes` bytes each, from column x of row y of operand k. */
static void mcuc_concatenation_copy(const mcuc_rows_call *io, int32_t k, int32_t y, int32_t x,
                                    int32_t n, int32_t bytes, uint8_t *dst)
{
  const int32_t step = io->in[k].view.pixel_stride;
  const uint8_t *src = mcuc_source_row(io, k, y) + x * step;
  int32_t i;
  if (step == bytes && io->dst_step == bytes) {
    memcpy(dst, src, (size_t)(n * bytes));
    return;
  }
  for (i = 0; i < n; ++i) {
    memcpy(dst + i * io->dst_step, src + i * step, (size_t)bytes);
  }
}

MCUC_FN void mcuc_concatenation_s8_s8__c(const void *params, const void *call)
{
  const mcuc_concatenation_params *p = (const mcuc_concatenation_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const int32_t *starts = p->starts;
  uint8_t *dst = (uint8_t *)io->dst;
  int32_t k;

  if (p->join == MCUC_JOIN_ROWS) { /* again and again for every element of the batch */
    const int32_t element = io->y / starts[p->count];
    const int32_t y = io->y % starts[p->count];
    for (k = 0; y >= starts[k + 1]; ++k) {
    }
    mcuc_concatenation_copy(io, k, element * (starts[k + 1] - starts[k]) + y - starts[k], io->x,
                            io->n, p->bytes, dst);
    return;
  }
  for (k = 0; k < p->count; ++k) {
    if (p->join == MCUC_JOIN_CHANNELS) {
      mcuc_concatenation_copy(io, k, io->y, io->x, io->n, starts[k + 1] - starts[k],
                              dst + starts[k]);
    } else {
      const int32_t first = io->x > starts[k] ? io->x : starts[k];
      const int32_t end = io->x + io->n < starts[k + 1] ? io->x + io->n : starts[k + 1];
      if (first < end) {
        mcuc_concatenation_copy(io, k, io->y, first - starts[k], end - first, p->bytes,
                                dst + (first - io->x) * io->dst_step);
      }
    }
  }
}
