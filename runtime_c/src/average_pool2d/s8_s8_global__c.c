/* Average pool over the whole map, portable C, fold form: rows are summed as they come.
 *
 *   y[c] = clamp(round(sum over all pixels x[pixel][c] / elements))
 *
 * src : rows of pixels of `channels` s8     acc : int32[channels], 4-byte aligned
 * dst : one pixel of `channels` s8
 * |sum| <= 128 * elements < 2^30 for maps of up to 2^23 elements.
 * Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d_global.h"

static void mcuc_average_pool2d_global_row(const mcuc_average_pool2d_global_params *p,
                                           const mcuc_fold_call *io, int32_t *acc)
{
  int32_t c = 0;
  int32_t i;
  for (; c + 4 <= p->channels; c += 4) { /* four at a time, in registers over the row */
    const int8_t *src = (const int8_t *)io->src + c;
    int32_t a0 = acc[c], a1 = acc[c + 1], a2 = acc[c + 2], a3 = acc[c + 3];
    for (i = 0; i < io->n; ++i) {
      a0 += src[0];
      a1 += src[1];
      a2 += src[2];
      a3 += src[3];
      src += io->src_step;
    }
    acc[c] = a0;
    acc[c + 1] = a1;
    acc[c + 2] = a2;
    acc[c + 3] = a3;
  }
  for (; c < p->channels; ++c) {
    const int8_t *src = (const int8_t *)io->src + c;
    for (i = 0; i < io->n; ++i) {
      acc[c] += *src;
      src += io->src_step;
    }
  }
}

MCUC_FN void mcuc_average_pool2d_s8_s8_global__c(const void *params, const void *call)
{
  mcuc_average_pool2d_fold((const mcuc_average_pool2d_global_params *)params,
                           (const mcuc_fold_call *)call, mcuc_average_pool2d_global_row);
}
