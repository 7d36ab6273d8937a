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

#define MCUC_KERNEL mcuc_unary_f32_f32_series__c
#define MCUC_PARAMS mcuc_unary_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, x) mcuc_unary_series_f32(p, x)
#include "mcuc/each.h"
