/* TAKE: every element of the output is the element of the input that tables name, axis by axis.
 *
 * src : rows of pixels of any element type
 * dst : n pixels, each put together from runs of bytes of the input's pixel
 * Bit-exact to mcuc/ops/take.py:ref.
 */
#include <string.h>

#include "mcuc/program.h"
#include "take/take.h"

MCUC_FN void mcuc_take_s8_s8__c(const void *params, const void *call)
{
  const mcuc_take_params *p = (const mcuc_take_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const uint8_t *row = mcuc_source_row(io, 0, p->rows[io->y]);
  const uint16_t *columns = p->columns + io->x;
  const int32_t step = io->in[0].view.pixel_stride;
  const int32_t dense = p->whole && step == p->runs[1] && io->dst_step == step;
  uint8_t *dst = (uint8_t *)io->dst;
  int32_t i = 0;

  while (i < io->n) {
    const uint8_t *src = row + columns[i] * step;
    int32_t count = 1;
    if (dense) { /* as many pixels as follow each other in the input too */
      while (i + count < io->n && columns[i + count] == columns[i] + count) {
        ++count;
      }
      memcpy(dst, src, (size_t)(count * step));
    } else {
      uint8_t *to = dst;
      int32_t r;
      for (r = 0; r < p->n_runs; ++r) {
        memcpy(to, src + p->runs[2 * r], (size_t)p->runs[2 * r + 1]);
        to += p->runs[2 * r + 1];
      }
    }
    dst += count * io->dst_step;
    i += count;
  }
}
