/* REDUCE over any axes, int16: maximum or minimum.
 *
 * src : the whole tensor, dense int16
 * dst : the kept axes in their order, dense int16
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include "mcuc/program.h"
#include "reduce/reduce.h"

/* The elements that belong to one result. */
static int16_t mcuc_reduce_s16_nd(const mcuc_reduce_params *p, const int16_t *src)
{
  const int32_t *loop = p->reduced;
  int16_t acc = (int16_t)p->start;
  int32_t i, j, k;
  for (i = 0; i < loop[0]; ++i) {
    for (j = 0; j < loop[2]; ++j) {
      const int16_t *x = src + i * loop[1] + j * loop[3];
      for (k = 0; k < loop[4]; ++k) {
        acc = (p->kind == MCUC_REDUCE_MAX) == (*x > acc) ? *x : acc;
        x += loop[5];
      }
    }
  }
  return acc;
}

MCUC_FN void mcuc_reduce_s16_s16_nd__c(const void *params, const void *call)
{
  const mcuc_reduce_params *p = (const mcuc_reduce_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int16_t *src = (const int16_t *)io->src[0];
  int16_t *dst = (int16_t *)io->dst;
  const int32_t *kept = p->kept;
  int32_t i, j, k;

  for (i = 0; i < kept[0]; ++i) {
    for (j = 0; j < kept[2]; ++j) {
      for (k = 0; k < kept[4]; ++k) {
        const int16_t *x = src + i * kept[1] + j * kept[3] + k * kept[5];
        *dst++ = mcuc_reduce_s16_nd(p, x);
      }
    }
  }
}
