/* REDUCE over any axes, float32: maximum, minimum, sum or product, in the order of memory.
 *
 * src : the whole tensor, dense float
 * dst : the kept axes in their order, dense float
 * Bit-exact to mcuc/ops/reduce.py:ref.
 */
#include "mcuc/program.h"
#include "reduce/reduce_f32.h"

/* The elements that belong to one result. */
static float mcuc_reduce_f32_nd(const mcuc_reduce_f32_params *p, const float *src)
{
  const int32_t *loop = p->reduced;
  float acc = p->start;
  int32_t i, j, k;
  for (i = 0; i < loop[0]; ++i) {
    for (j = 0; j < loop[2]; ++j) {
      const float *x = src + i * loop[1] + j * loop[3];
      for (k = 0; k < loop[4]; ++k) {
        acc = mcuc_reduce_f32_step(p->kind, acc, x[k * loop[5]]);
      }
    }
  }
  return acc;
}

MCUC_FN void mcuc_reduce_f32_f32_nd__c(const void *params, const void *call)
{
  const mcuc_reduce_f32_params *p = (const mcuc_reduce_f32_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const float *src = (const float *)io->src[0];
  float *dst = (float *)io->dst;
  const int32_t *kept = p->kept;
  int32_t i, j, k;

  for (i = 0; i < kept[0]; ++i) {
    for (j = 0; j < kept[2]; ++j) {
      for (k = 0; k < kept[4]; ++k) {
        const float *x = src + i * kept[1] + j * kept[3] + k * kept[5];
        *dst++ = mcuc_reduce_f32_nd(p, x);
      }
    }
  }
}
