/* Average pool of float32 over the whole map, portable C, fold form: rows are summed as they come.
 *
 *   y[c] = clamp((0 + sum over all pixels x[pixel][c]) / elements)
 *
 * src : rows of pixels of `channels` f32     acc : float[channels], 4-byte aligned
 * dst : one pixel of `channels` f32
 * The sum goes through the pixels in ascending order. Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d_f32.h"
#include "mcuc/fmath.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_average_pool2d_f32_f32_global__c(const void *params, const void *call)
{
  const mcuc_average_pool2d_f32_global_params *p =
      (const mcuc_average_pool2d_f32_global_params *)params;
  const mcuc_fold_call *io = (const mcuc_fold_call *)call;
  float *acc = (float *)io->acc;
  float *dst = (float *)io->dst;
  int32_t i;
  int32_t c;

  switch (io->phase) {
    case MCUC_FOLD_INIT:
      for (c = 0; c < p->channels; ++c) {
        acc[c] = 0.0f;
      }
      break;
    case MCUC_FOLD_STEP:
      for (i = 0; i < io->n; ++i) {
        const float *src = (const float *)mcuc_at(io->src, i * io->src_step);
        for (c = 0; c < p->channels; ++c) {
          acc[c] += src[c];
        }
      }
      break;
    default:
      for (c = 0; c < p->channels; ++c) {
        dst[c] = mcuc_clamp_f32(acc[c] / (float)p->elements, p->low, p->high);
      }
      break;
  }
}
