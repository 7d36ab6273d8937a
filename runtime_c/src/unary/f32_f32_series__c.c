/* Element-wise functions of float32 that are computed by series: dst = f(src).
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/unary.py:ref.
 */
#include "mcuc/ffunctions.h"
#include "mcuc/program.h"
#include "unary/unary.h"

static float mcuc_unary_series_f32(const mcuc_unary_params *p, float x)
{
  float y;
  switch (p->function) {
    case MCUC_UNARY_EXP:
      return mcuc_expf(x);
    case MCUC_UNARY_LOG:
      return mcuc_logf(x);
    case MCUC_UNARY_TANH:
      return mcuc_tanhf(x);
    case MCUC_UNARY_SIN:
      return mcuc_sine_f32(x, 0);
    case MCUC_UNARY_COS:
      return mcuc_sine_f32(x, 1);
    case MCUC_UNARY_GELU:
      return 0.5f * x * (1.0f + mcuc_erff(x * 0.70710678f));
    default:
      y = 0.79788456f * (x + 0.044715f * (x * x * x));
      return 0.5f * x * (1.0f + mcuc_tanhf(y));
  }
}

MCUC_FN void mcuc_unary_f32_f32_series__c(const void *params, const void *call)
{
  const mcuc_unary_params *p = (const mcuc_unary_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_unary_series_f32(p, src[c]);
    }
  }
}
