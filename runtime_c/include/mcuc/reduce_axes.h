/* The body of kernels that reduce any axes of a tensor, elements in the order of memory: whole
 * form.
 *
 * src : the whole tensor, dense
 * dst : the kept axes in their order, dense
 *
 * The record has `kept` and `reduced`: three loops each, outermost first, of (size, stride in
 * elements). Included as mcuc/fold_pixels.h is, behind the same definitions.
 */
#include "mcuc/part.h"

/* Over the elements that belong to one result. */
static MCUC_SUM MCUC_PART(sum)(const MCUC_PARAMS *p, const MCUC_ELEMENT *src)
{
  const int32_t *loop = p->reduced;
  MCUC_SUM sum = (MCUC_SUM)MCUC_START(p);
  int32_t i, j, k;
  for (i = 0; i < loop[0]; ++i) {
    for (j = 0; j < loop[2]; ++j) {
      const MCUC_ELEMENT *x = src + i * loop[1] + j * loop[3];
      for (k = 0; k < loop[4]; ++k) {
        sum = (MCUC_SUM)MCUC_STEP(p, sum, x[k * loop[5]]);
      }
    }
  }
  return sum;
}

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const MCUC_PARAMS *p = (const MCUC_PARAMS *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const MCUC_ELEMENT *src = (const MCUC_ELEMENT *)io->src[0];
  MCUC_ELEMENT *dst = (MCUC_ELEMENT *)io->dst;
  const int32_t *kept = p->kept;
  int32_t i, j, k;

  for (i = 0; i < kept[0]; ++i) {
    for (j = 0; j < kept[2]; ++j) {
      for (k = 0; k < kept[4]; ++k) {
        const MCUC_ELEMENT *x = src + i * kept[1] + j * kept[3] + k * kept[5];
        *dst++ = (MCUC_ELEMENT)MCUC_RESULT(p, MCUC_PART(sum)(p, x));
      }
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_PARAMS
#undef MCUC_ELEMENT
#undef MCUC_SUM
#undef MCUC_START
#undef MCUC_STEP
#undef MCUC_RESULT
