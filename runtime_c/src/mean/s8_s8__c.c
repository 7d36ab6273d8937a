/* MEAN over all rows and columns, int8: clamp(rescale(sum of (x - zero point)) + zero point), with
 * the division by the number of elements in the multiplier.
 *
 * src : rows of pixels of `channels` int8
 * acc : int32[channels], 4-byte aligned
 * dst : one pixel of `channels` int8
 * |acc| <= 2^23 * 255 < 2^31. Bit-exact to mcuc/ops/mean.py:ref.
 */
#include "mean/mean.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

static void mcuc_mean_fold_row(const mcuc_mean_params *p, const mcuc_fold_call *io, int32_t *acc)
{
  int32_t i;
  for (i = 0; i < io->n; ++i) {
    const int8_t *src = (const int8_t *)io->src + i * io->src_step;
    int32_t c;
    for (c = 0; c < p->channels; ++c) {
      acc[c] += src[c];
    }
  }
}

static void mcuc_mean_fold_finish(const mcuc_mean_params *p, const int32_t *acc, int8_t *dst)
{
  const int32_t low = -128 - p->out_offset;
  const int32_t high = 127 - p->out_offset;
  int32_t c;
  for (c = 0; c < p->channels; ++c) {
    int32_t y = mcuc_multiply_by_quantized_multiplier(acc[c], p->multiplier, p->shift);
    y = y < low ? low : y;
    y = y > high ? high : y;
    dst[c] = (int8_t)(y + p->out_offset);
  }
}

MCUC_FN void mcuc_mean_s8_s8__c(const void *params, const void *call)
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
      mcuc_mean_fold_row(p, io, acc);
      break;
    default:
      mcuc_mean_fold_finish(p, acc, (int8_t *)io->dst);
      break;
  }
}
