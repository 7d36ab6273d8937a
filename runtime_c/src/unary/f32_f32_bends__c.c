/* Activation functions of float32 made of an exponential: dst = f(src).
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/unary.py:ref.
 */
#include "mcuc/fbends.h"
#include "mcuc/program.h"
#include "unary/unary.h"

static float mcuc_unary_bends_f32(const mcuc_unary_params *p, float x)
{
  switch (p->function) {
    case MCUC_UNARY_ERF:
      return mcuc_erff(x);
    case MCUC_UNARY_SOFTPLUS:
      return mcuc_softplusf(x);
    case MCUC_UNARY_MISH:
      return mcuc_mishf(x);
    case MCUC_UNARY_ELU:
      return mcuc_eluf(x, p->alpha);
    case MCUC_UNARY_SELU:
      return p->beta * mcuc_eluf(x, p->alpha);
    default:
      return mcuc_celuf(x, p->alpha);
  }
}

#define MCUC_KERNEL mcuc_unary_f32_f32_bends__c
#define MCUC_PARAMS mcuc_unary_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, x) mcuc_unary_bends_f32(p, x)
#include "mcuc/each.h"
