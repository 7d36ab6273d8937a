/* TOP_K along the last axis, float32 without NaN.
 *
 * src : [rows][size], dense
 * dst : [rows][k] int32 or int64: where the greatest (least) elements stand, the first ones first
 *       of equal ones. Bit-exact to mcuc/ops/top_k.py:ref.
 */
#include "mcuc/program.h"
#include "top_k/top_k.h"

/* Whether x at index i comes before y at index j. */
static int32_t mcuc_top_k_f32_before(int32_t least, float x, int32_t i, float y, int32_t j)
{
  if (x == y) {
    return i < j;
  }
  return least ? x < y : x > y;
}

MCUC_FN void mcuc_top_k_f32_s32__c(const void *params, const void *call)
{
  const mcuc_top_k_params *p = (const mcuc_top_k_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const float *src = (const float *)io->src[0];
  int32_t row, n, i;

  for (row = 0; row < p->rows; ++row) {
    int32_t last = -1;
    for (n = 0; n < p->k; ++n) { /* the best of those behind the last one */
      int32_t best = -1;
      for (i = 0; i < p->size; ++i) {
        const int32_t behind =
            last < 0 || mcuc_top_k_f32_before(p->least, src[last], last, src[i], i);
        if (behind && (best < 0 || mcuc_top_k_f32_before(p->least, src[i], i, src[best], best))) {
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
