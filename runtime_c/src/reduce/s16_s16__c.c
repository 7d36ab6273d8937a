/* REDUCE over all rows and columns, int16: maximum or minimum.
 *
 * src : rows of pixels of `channels` int16
 * acc : int16[channels]
 * dst : one pixel of `channels` int16
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include <string.h>

#include "mcuc/program.h"
#include "reduce/reduce.h"

MCUC_FN void mcuc_reduce_s16_s16__c(const void *params, const void *call)
{
  const mcuc_reduce_params *p = (const mcuc_reduce_params *)params;
  const mcuc_fold_call *io = (const mcuc_fold_call *)call;
  int16_t *acc = (int16_t *)io->acc;
  int32_t c, i;

  if (io->phase == MCUC_FOLD_INIT) {
    for (c = 0; c < p->channels; ++c) {
      acc[c] = (int16_t)p->start;
    }
  } else if (io->phase == MCUC_FOLD_FINISH) {
    memcpy(io->dst, acc, (size_t)p->channels * sizeof *acc);
  } else {
    for (i = 0; i < io->n; ++i) {
      const int16_t *src = (const int16_t *)mcuc_at(io->src, i * io->src_step);
      for (c = 0; c < p->channels; ++c) {
        acc[c] = (p->kind == MCUC_REDUCE_MAX) == (src[c] > acc[c]) ? src[c] : acc[c];
      }
    }
  }
}
