/* GATHER and GATHER_ND: dst[b][o][i] = src[b][o][index[b][i]], slices of any element type.
 *
 * src[0] : [batch][outer][sizes ...][slice] bytes, dense
 * src[1] : [batch][count][depth] int32 or int64; negative ones count from the end, what is outside
 *          even so is the nearest one inside
 * dst    : [batch][outer][count][slice] bytes
 * Bit-exact to mcuc/ops/gather.py:ref.
 */
#include <string.h>

#include "gather/gather.h"
#include "mcuc/program.h"

/* Which slice index i names. */
static int32_t mcuc_gather_place(const mcuc_gather_params *p, const void *indices, int32_t i)
{
  int32_t place = 0;
  int32_t k;
  for (k = 0; k < p->depth; ++k) {
    const int32_t size = p->sizes[k];
    const int32_t at = i * p->depth + k;
    int64_t index = p->wide ? ((const int64_t *)indices)[at] : ((const int32_t *)indices)[at];
    index = index < 0 ? index + size : index;
    index = index < 0 ? 0 : index;
    place = place * size + (index < size ? (int32_t)index : size - 1);
  }
  return place;
}

MCUC_FN void mcuc_gather_s8_s32_s8__c(const void *params, const void *call)
{
  const mcuc_gather_params *p = (const mcuc_gather_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const uint8_t *src = (const uint8_t *)io->src[0];
  uint8_t *dst = (uint8_t *)io->dst;
  int32_t span = p->slice;
  int32_t b, o, i;

  for (i = 0; i < p->depth; ++i) {
    span *= p->sizes[i];
  }
  for (b = 0; b < p->batch; ++b) {
    for (o = 0; o < p->outer; ++o) {
      for (i = 0; i < p->count; ++i) {
        const int32_t place = mcuc_gather_place(p, io->src[1], b * p->count + i);
        memcpy(dst, src + place * p->slice, (size_t)p->slice);
        dst += p->slice;
      }
      src += span;
    }
  }
}
