/* MEAN over all rows and columns, int16: clamp(rescale(sum of x)), with
 * the division by the number of elements in the multiplier.
 *
 * src : rows of pixels of `channels` int16
 * acc : int32[channels], 4-byte aligned
 * dst : one pixel of `channels` int16
 * |acc| <= 65535 * 2^15 < 2^31. Bit-exact to mcuc/ops/mean.py:ref.
 */
#include "mean/mean.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

static void mcuc_mean_s16_fold_row(const mcuc_mean_params *p, const mcuc_fold_call *io,
                                   int32_t *acc)
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

static void mcuc_mean_s16_fold_finish(const mcuc_mean_params *p, const int32_t *acc, int16_t *dst)
{
  const int32_t low = -32768;
  const int32_t high = 32767;
  int32_t c;
  for (c = 0; c < p->channels; ++c) {
    int32_t y = mcuc_multiply_by_quantized_multiplier(acc[c], p->multiplier, p->shift);
    y = y < low ? low : y;
    y = y > high ? high : y;
    dst[c] = (int16_t)y;
  }
}

MCUC_FN void mcuc_mean_s16_s16__c(const void *params, const void *call)
{
  const mcuc_mean_params *p = (const mcuc_mean_params *)params;
  const mcuc_fold_call *io = (const mcuc_fold_call *)call;
  int32_t *acc = (int32_t *)io->acc;
  int32_t c;

  switch (io->phase) {
    case MCUC_FOLD_INIT:
      for (c = 0; c < p->channels; ++c) {
        acc[c] = p->start;
      }
      break;
    case MCUC_FOLD_STEP:
      mcuc_mean_s16_fold_row(p, io, acc);
      break;
    default:
      mcuc_mean_s16_fold_finish(p, acc, (int16_t *)io->dst);
      break;
  }
}
