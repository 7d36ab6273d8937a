/* ARG_MAX and ARG_MIN along an axis, of any element type that is compared with <.
 *
 * src : [outer][size][inner], dense
 * dst : [outer][inner] int32 or int64: the first index of the extreme
 * Bit-exact to mcuc/ops/arg_max.py:ref.
 */
#include "arg_max/arg_max.h"
#include "mcuc/program.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_arg_max_params *p = (const mcuc_arg_max_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const MCUC_ELEMENT *src = (const MCUC_ELEMENT *)io->src[0];
  int32_t i, j, k;

  for (i = 0; i < p->outer; ++i) {
    for (j = 0; j < p->inner; ++j) {
      const MCUC_ELEMENT *x = src + i * p->size * p->inner + j;
      int32_t best = 0;
      for (k = 1; k < p->size; ++k) {
        const MCUC_ELEMENT old = x[best * p->inner];
        const MCUC_ELEMENT now = x[k * p->inner];
        best = (p->least ? now < old : now > old) ? k : best;
      }
      if (p->wide) {
        ((int64_t *)io->dst)[i * p->inner + j] = best;
      } else {
        ((int32_t *)io->dst)[i * p->inner + j] = best;
      }
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
