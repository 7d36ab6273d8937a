/* Average pool over the whole map, portable C, fold form: rows are summed as they come.
 *
 *   y[c] = clamp(round(sum over all pixels x[pixel][c] / elements))
 *
 * src : rows of pixels of `channels` s16     acc : int32[channels], 4-byte aligned
 * dst : one pixel of `channels` s16
 * |sum| <= 2^15 * elements < 2^31 for maps of up to 65535 elements.
 * Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d.h"

static void mcuc_average_pool2d_s16_global_row(const mcuc_average_pool2d_global_params *p,
                                               const mcuc_fold_call *io, int32_t *acc)
{
  int32_t i;
  for (i = 0; i < io->n; ++i) {
    const int16_t *src = (const int16_t *)mcuc_at(io->src, i * io->src_step);
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      acc[c] += src[c];
    }
  }
}

static void mcuc_average_pool2d_s16_global_finish(const mcuc_average_pool2d_global_params *p,
                                                  const int32_t *acc, int16_t *dst)
{
  int32_t c;
  for (c = 0; c < p->channels; ++c) {
    int32_t mean = p->half_up ? mcuc_divide_rounding_half_up(acc[c], p->elements)
                              : mcuc_divide_rounding_half_away(acc[c], p->elements);
    mean = mean < p->low ? p->low : mean;
    mean = mean > p->high ? p->high : mean;
    dst[c] = (int16_t)mean;
  }
}

MCUC_FN void mcuc_average_pool2d_s16_s16_global__c(const void *params, const void *call)
{
  const mcuc_average_pool2d_global_params *p = (const mcuc_average_pool2d_global_params *)params;
  const mcuc_fold_call *io = (const mcuc_fold_call *)call;
  int32_t *acc = (int32_t *)io->acc;
  int32_t c;

  switch (io->phase) {
    case MCUC_FOLD_INIT:
      for (c = 0; c < p->channels; ++c) {
        acc[c] = 0;
      }
      break;
    case MCUC_FOLD_STEP:
      mcuc_average_pool2d_s16_global_row(p, io, acc);
      break;
    default:
      mcuc_average_pool2d_s16_global_finish(p, acc, (int16_t *)io->dst);
      break;
  }
}
