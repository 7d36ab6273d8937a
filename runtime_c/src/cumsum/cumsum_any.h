/* CUMSUM along an axis, of any element type; unsigned sums, which wrap around, serve signed ones.
 *
 * src, dst : [outer][size][inner], dense
 * Bit-exact to mcuc/ops/cumsum.py:ref.
 */
#include "cumsum/cumsum.h"
#include "mcuc/program.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_cumsum_params *p = (const mcuc_cumsum_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t step = p->reverse ? -p->inner : p->inner;
  int32_t i, j, k;

  for (i = 0; i < p->outer; ++i) {
    for (j = 0; j < p->inner; ++j) {
      int32_t at = i * p->size * p->inner + j + (p->reverse ? (p->size - 1) * p->inner : 0);
      MCUC_ELEMENT total = 0;
      for (k = 0; k < p->size; ++k) {
        const MCUC_ELEMENT before = total;
        total += ((const MCUC_ELEMENT *)io->src[0])[at];
        ((MCUC_ELEMENT *)io->dst)[at] = p->exclusive ? before : total;
        at += step;
      }
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
