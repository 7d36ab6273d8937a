/* REDUCE over all rows and columns, int8: maximum or minimum.
 *
 * src : rows of pixels of `channels` int8
 * acc : int8[channels]
 * dst : one pixel of `channels` int8
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include <string.h>

#include "mcuc/program.h"
#include "reduce/reduce.h"

MCUC_FN void mcuc_reduce_s8_s8__c(const void *params, const void *call)
{
  const mcuc_reduce_params *p = (const mcuc_reduce_params *)params;
  const mcuc_fold_call *io = (const mcuc_fold_call *)call;
  int8_t *acc = (int8_t *)io->acc;
  int32_t c, i;

  if (io->phase == MCUC_FOLD_INIT) {
    memset(acc, p->start, (size_t)p->channels);
  } else if (io->phase == MCUC_FOLD_FINISH) {
    memcpy(io->dst, acc, (size_t)p->channels);
  } else {
    for (i = 0; i < io->n; ++i) {
      const int8_t *src = (const int8_t *)io->src + i * io->src_step;
      for (c = 0; c < p->channels; ++c) {
        acc[c] = (p->kind == MCUC_REDUCE_MAX) == (src[c] > acc[c]) ? src[c] : acc[c];
      }
    }
  }
}
