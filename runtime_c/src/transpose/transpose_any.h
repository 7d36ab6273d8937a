/* TRANSPOSE: the output's elements in their order, the input's by strides.
 *
 * src : the whole tensor, dense elements of any type as large as MCUC_ELEMENT, aligned to it
 * dst : the same elements, dense
 * Bit-exact to mcuc/ops/transpose.py:ref.
 */
#include "mcuc/part.h"
#include "mcuc/program.h"
#include "transpose/transpose.h"

/* The two inner loops; returns where the next element goes. */
static MCUC_ELEMENT *MCUC_PART(plane)(const MCUC_ELEMENT *src, MCUC_ELEMENT *dst,
                                      const int32_t *loop)
{
  int32_t i, j;
  for (i = 0; i < loop[0]; ++i) {
    const MCUC_ELEMENT *x = src + i * loop[1];
    for (j = 0; j < loop[2]; ++j) {
      *dst++ = *x;
      x += loop[3];
    }
  }
  return dst;
}

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_transpose_params *p = (const mcuc_transpose_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const MCUC_ELEMENT *src = (const MCUC_ELEMENT *)io->src[0];
  MCUC_ELEMENT *dst = (MCUC_ELEMENT *)io->dst;
  const int32_t *loop = p->loops;
  int32_t i, j, k;

  for (i = 0; i < loop[0]; ++i) {
    for (j = 0; j < loop[2]; ++j) {
      for (k = 0; k < loop[4]; ++k) {
        dst = MCUC_PART(plane)(src + i * loop[1] + j * loop[3] + k * loop[5], dst, loop + 6);
      }
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
