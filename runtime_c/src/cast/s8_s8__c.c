/* CAST between any two element types.
 *
 * src : pixels of `channels` elements of type `source`
 * dst : pixels of `channels` elements of type `result`
 * Bit-exact to mcuc/ops/cast.py:ref.
 */
#include "cast/cast.h"
#include "mcuc/program.h"

static int64_t mcuc_cast_integer(int32_t type, const void *src, int32_t i)
{
  switch (type) {
    case MCUC_CAST_S8:
      return ((const int8_t *)src)[i];
    case MCUC_CAST_S16:
      return ((const int16_t *)src)[i];
    case MCUC_CAST_S32:
      return ((const int32_t *)src)[i];
    case MCUC_CAST_S64:
      return ((const int64_t *)src)[i];
    case MCUC_CAST_U32:
      return ((const uint32_t *)src)[i];
    case MCUC_CAST_F32:
      return (int64_t)((const float *)src)[i];
    default:
      return ((const uint8_t *)src)[i];
  }
}

static void mcuc_cast_store(int32_t type, void *dst, int32_t i, int64_t x)
{
  switch (type) {
    case MCUC_CAST_S16:
      ((int16_t *)dst)[i] = (int16_t)x;
      break;
    case MCUC_CAST_S32:
      ((int32_t *)dst)[i] = (int32_t)x;
      break;
    case MCUC_CAST_U32:
      ((uint32_t *)dst)[i] = (uint32_t)x;
      break;
    case MCUC_CAST_S64:
      ((int64_t *)dst)[i] = x;
      break;
    default:
      ((uint8_t *)dst)[i] = (uint8_t)x;
      break;
  }
}

static void mcuc_cast_one(const mcuc_cast_params *p, const void *src, void *dst, int32_t i)
{
  const int32_t real = p->source == MCUC_CAST_F32;
  if (p->result == MCUC_CAST_F32) {
    ((float *)dst)[i] =
        real ? ((const float *)src)[i] : (float)mcuc_cast_integer(p->source, src, i);
  } else if (p->result == MCUC_CAST_BOOL) {
    ((uint8_t *)dst)[i] =
        real ? ((const float *)src)[i] != 0.0f : mcuc_cast_integer(p->source, src, i) != 0;
  } else {
    mcuc_cast_store(p->result, dst, i, mcuc_cast_integer(p->source, src, i));
  }
}

MCUC_FN void mcuc_cast_s8_s8__c(const void *params, const void *call)
{
  const mcuc_cast_params *p = (const mcuc_cast_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const void *src = mcuc_at(io->src[0], i * io->src_step[0]);
    void *dst = mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      mcuc_cast_one(p, src, dst, c);
    }
  }
}
