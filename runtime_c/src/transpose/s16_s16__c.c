/* TRANSPOSE: the output's elements in their order, the input's by strides.
 *
 * src : the whole tensor, dense halfwords of any type, 2-byte aligned
 * dst : the same elements, dense
 * Bit-exact to mcuc/ops/transpose.py:ref.
 */
#include "mcuc/program.h"
#include "transpose/transpose.h"

/* The two inner loops; returns where the next element goes. */
static uint16_t *mcuc_transpose_s16_plane(const uint16_t *src, uint16_t *dst, const int32_t *loop)
{
  int32_t i, j;
  for (i = 0; i < loop[0]; ++i) {
    const uint16_t *x = src + i * loop[1];
    for (j = 0; j < loop[2]; ++j) {
      *dst++ = *x;
      x += loop[3];
    }
  }
  return dst;
}

MCUC_FN void mcuc_transpose_s16_s16__c(const void *params, const void *call)
{
  const mcuc_transpose_params *p = (const mcuc_transpose_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const uint16_t *src = (const uint16_t *)io->src[0];
  uint16_t *dst = (uint16_t *)io->dst;
  const int32_t *loop = p->loops;
  int32_t i, j, k;

  for (i = 0; i < loop[0]; ++i) {
    for (j = 0; j < loop[2]; ++j) {
      for (k = 0; k < loop[4]; ++k) {
        dst =
            mcuc_transpose_s16_plane(src + i * loop[1] + j * loop[3] + k * loop[5], dst, loop + 6);
      }
    }
  }
}
