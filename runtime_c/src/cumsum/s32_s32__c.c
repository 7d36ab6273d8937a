/* CUMSUM along an axis, int32.
 *
 * src, dst : [outer][size][inner], dense; sums wrap around
 * Bit-exact to mcuc/ops/cumsum.py:ref.
 */
#include "cumsum/cumsum.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_cumsum_s32_s32__c(const void *params, const void *call)
{
  const mcuc_cumsum_params *p = (const mcuc_cumsum_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t step = p->reverse ? -p->inner : p->inner;
  int32_t i, j, k;

  for (i = 0; i < p->outer; ++i) {
    for (j = 0; j < p->inner; ++j) {
      int32_t at = i * p->size * p->inner + j + (p->reverse ? (p->size - 1) * p->inner : 0);
      uint32_t total = 0U;
      for (k = 0; k < p->size; ++k) {
        const uint32_t before = total;
        total += ((const uint32_t *)io->src[0])[at];
        ((uint32_t *)io->dst)[at] = p->exclusive ? before : total;
        at += step;
      }
    }
  }
}
