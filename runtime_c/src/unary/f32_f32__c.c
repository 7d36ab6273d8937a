/* Element-wise functions of float32: dst = f(src).
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/unary.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/froots.h"
#include "mcuc/program.h"
#include "unary/unary.h"

static float mcuc_unary_f32(const mcuc_unary_params *p, float x)
{
  float y = x;
  switch (p->function) {
    case MCUC_UNARY_ABS:
      return x < 0.0f || (x == 0.0f && 1.0f / x < 0.0f) ? -x : x;
    case MCUC_UNARY_NEG:
      return -x;
    case MCUC_UNARY_SQUARE:
      return x * x;
    case MCUC_UNARY_SQRT:
      return mcuc_sqrtf(x);
    case MCUC_UNARY_RSQRT:
      return 1.0f / mcuc_sqrtf(x);
    case MCUC_UNARY_FLOOR:
      return mcuc_floorf(x);
    case MCUC_UNARY_LEAKY_RELU:
      return x > 0.0f ? x : x * p->alpha;
    case MCUC_UNARY_HARD_SWISH:
      y = x + 3.0f;
      y = y > 0.0f ? y : 0.0f;
      y = y < 6.0f ? y : 6.0f;
      return x * y / 6.0f;
    case MCUC_UNARY_RELU_0_TO_1:
      y = y > 0.0f ? y : 0.0f;
      return y < 1.0f ? y : 1.0f;
    case MCUC_UNARY_SIGN:
      return (float)((x > 0.0f) - (x < 0.0f));
    case MCUC_UNARY_CEIL:
      return -mcuc_floorf(-x);
    case MCUC_UNARY_ROUND:
      return mcuc_rintf(x);
    case MCUC_UNARY_RECIPROCAL:
      return 1.0f / x;
    case MCUC_UNARY_SOFTSIGN:
      return x / (1.0f + (x < 0.0f ? -x : x));
    case MCUC_UNARY_HARD_SIGMOID:
      return mcuc_clamp_f32(p->alpha * x + p->beta, 0.0f, 1.0f);
    case MCUC_UNARY_THRESHOLDED_RELU:
      return x > p->alpha ? x : 0.0f;
    default:
      return mcuc_clamp_f32(x, p->alpha, p->beta);
  }
}

#define MCUC_KERNEL mcuc_unary_f32_f32__c
#define MCUC_PARAMS mcuc_unary_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, x) mcuc_unary_f32(p, x)
#include "mcuc/each.h"
