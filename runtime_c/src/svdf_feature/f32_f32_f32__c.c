/* First half of SVDF, float32: the state moves on by a step, the input's features enter.
 *
 * src[0] : [depth] f32     src[1] : [filters][memory] f32
 * dst    : [filters][memory] f32: src[1] from its second column on, and the features
 * Bit-exact to mcuc/ops/svdf_feature.py:ref.
 */
#include <string.h>

#include "mcuc/program.h"
#include "svdf_feature/svdf_feature.h"

MCUC_FN void mcuc_svdf_feature_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_svdf_feature_f32_params *p = (const mcuc_svdf_feature_f32_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const float *x = (const float *)io->src[0];
  const float *old = (const float *)io->src[1];
  const float *w = p->weights;
  float *dst = (float *)io->dst;
  int32_t f, d;

  for (f = 0; f < p->filters; ++f) {
    float sum = 0.0f;
    for (d = 0; d < p->depth; ++d) {
      sum += x[d] * w[d];
    }
    memcpy(dst, old + 1, (size_t)(p->memory - 1) * sizeof *dst);
    dst[p->memory - 1] = sum;
    w += p->depth;
    old += p->memory;
    dst += p->memory;
  }
}
