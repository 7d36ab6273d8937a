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

#define MCUC_KERNEL mcuc_unary_f32_f32_arcs__c
#define MCUC_PARAMS mcuc_unary_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, x) mcuc_unary_arcs_f32(p, x)
#include "mcuc/each.h"
