/* First half of SVDF, int8 with a state of int16 or int8: the state moves on by a step, the input's
 * features enter.
 *
 * src[0] : [depth] s8     src[1] : [filters][memory] of MCUC_ELEMENT, MCUC_LEAST to MCUC_MOST
 * dst    : [filters][memory]: src[1] from its second column on, and the features
 * Bit-exact to mcuc/ops/svdf_feature.py:ref.
 */
#include <string.h>

#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "svdf_feature/svdf_feature.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_svdf_feature_params *p = (const mcuc_svdf_feature_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int8_t *x = (const int8_t *)io->src[0];
  const MCUC_ELEMENT *old = (const MCUC_ELEMENT *)io->src[1];
  const int8_t *w = p->weights;
  MCUC_ELEMENT *dst = (MCUC_ELEMENT *)io->dst;
  int32_t f, d;

  for (f = 0; f < p->filters; ++f) {
    int32_t sum = p->bias[f];
    for (d = 0; d < p->depth; ++d) {
      sum += x[d] * w[d];
    }
    sum = mcuc_multiply_by_quantized_multiplier(sum, p->multiplier, p->shift);
    sum = sum > MCUC_MOST - p->zero_point ? MCUC_MOST - p->zero_point : sum;
    sum = sum < MCUC_LEAST - p->zero_point ? MCUC_LEAST - p->zero_point : sum;
    memcpy(dst, old + 1, (size_t)(p->memory - 1) * sizeof *dst);
    dst[p->memory - 1] = (MCUC_ELEMENT)sum;
    w += p->depth;
    old += p->memory;
    dst += p->memory;
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
#undef MCUC_LEAST
#undef MCUC_MOST
