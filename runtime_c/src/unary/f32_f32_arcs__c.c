/* Tangent, hyperbolic and inverse functions of float32: dst = f(src).
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/unary.py:ref.
 */
#include "mcuc/farcs.h"
#include "mcuc/program.h"
#include "unary/unary.h"

static float mcuc_unary_arcs_f32(const mcuc_unary_params *p, float x)
{
  switch (p->function) {
    case MCUC_UNARY_TAN:
      return mcuc_tanf(x);
    case MCUC_UNARY_ASIN:
      return mcuc_asinf(x);
    case MCUC_UNARY_ACOS:
      return 1.57079633f - mcuc_asinf(x);
    case MCUC_UNARY_ATAN:
      return mcuc_atanf(x);
    case MCUC_UNARY_SINH:
      return mcuc_sinhf(x);
    case MCUC_UNARY_COSH:
      return mcuc_coshf(x);
    case MCUC_UNARY_ASINH:
      return mcuc_asinhf(x);
    case MCUC_UNARY_ACOSH:
      return mcuc_acoshf(x);
    default:
      return mcuc_atanhf(x);
  }
}

MCUC_FN void mcuc_unary_f32_f32_arcs__c(const void *params, const void *call)
{
  const mcuc_unary_params *p = (const mcuc_unary_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const float *src = (const float *)mcuc_at(io->src[0], i * io->src_step[0]);
    float *dst = (float *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = mcuc_unary_arcs_f32(p, src[c]);
    }
  }
}
