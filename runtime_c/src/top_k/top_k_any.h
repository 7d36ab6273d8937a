/* TOP_K along the last axis, of any element type that is compared with <.
 *
 * src : [rows][size], dense
 * dst : [rows][k] int32 or int64: where the greatest (least) elements stand, the first ones first
 *       of equal ones. Bit-exact to mcuc/ops/top_k.py:ref.
 */
#include "mcuc/program.h"
#include "top_k/top_k.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_top_k_params *p = (const mcuc_top_k_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const MCUC_ELEMENT *src = (const MCUC_ELEMENT *)io->src[0];
  int32_t row, n, i;

  for (row = 0; row < p->rows; ++row) {
    int32_t last = -1;
    for (n = 0; n < p->k; ++n) { /* the best of those behind the last one */
      int32_t best = -1;
      for (i = 0; i < p->size; ++i) {
        const MCUC_ELEMENT x = src[i];
        if (last >= 0 && (x == src[last] ? i <= last : (x < src[last]) == p->least)) {
          continue; /* before the last one, or itself */
        }
        if (best < 0 || (p->least ? x < src[best] : x > src[best])) {
          best = i;
        }
      }
      last = best;
      if (p->wide) {
        ((int64_t *)io->dst)[row * p->k + n] = best;
      } else {
        ((int32_t *)io->dst)[row * p->k + n] = best;
      }
    }
    src += p->size;
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
