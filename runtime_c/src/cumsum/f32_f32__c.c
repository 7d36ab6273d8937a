/* CUMSUM along an axis, float32.
 *
 * src, dst : [outer][size][inner], dense
 * Bit-exact to mcuc/ops/cumsum.py:ref.
 */
#include "cumsum/cumsum.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_cumsum_f32_f32__c(const void *params, const void *call)
{
  const mcuc_cumsum_params *p = (const mcuc_cumsum_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t step = p->reverse ? -p->inner : p->inner;
  int32_t i, j, k;

  for (i = 0; i < p->outer; ++i) {
    for (j = 0; j < p->inner; ++j) {
      int32_t at = i * p->size * p->inner + j + (p->reverse ? (p->size - 1) * p->inner : 0);
      float total = 0.0f;
      for (k = 0; k < p->size; ++k) {
        const float before = total;
        total += ((const float *)io->src[0])[at];
        ((float *)io->dst)[at] = p->exclusive ? before : total;
        at += step;
      }
    }
  }
}
