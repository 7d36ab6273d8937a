/* REDUCE over all rows and columns, float32: maximum, minimum, sum or product, in the order of
 * memory.
 *
 * src : rows of pixels of `channels` float
 * acc : float[channels], 4-byte aligned
 * dst : one pixel of `channels` float
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include "mcuc/program.h"
#include "reduce/reduce_f32.h"

MCUC_FN void mcuc_reduce_f32_f32__c(const void *params, const void *call)
{
  const mcuc_reduce_f32_params *p = (const mcuc_reduce_f32_params *)params;
  const mcuc_fold_call *io = (const mcuc_fold_call *)call;
  float *acc = (float *)io->acc;
  int32_t c, i;

  for (c = 0; c < p->channels; ++c) {
    if (io->phase == MCUC_FOLD_INIT) {
      acc[c] = p->start;
    } else if (io->phase == MCUC_FOLD_STEP) {
      for (i = 0; i < io->n; ++i) {
        const float *src = (const float *)mcuc_at(io->src, i * io->src_step);
        acc[c] = mcuc_reduce_f32_step(p->kind, acc[c], src[c]);
      }
    } else {
      ((float *)io->dst)[c] = acc[c];
    }
  }
}
