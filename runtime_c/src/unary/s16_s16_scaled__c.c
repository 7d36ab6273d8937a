/* LEAKY_RELU and ABS of int16: a factor above zero, and another below or the magnitude's.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int16; may be src
 * Bit-exact to mcuc/ops/unary_int16.py:ref.
 */
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "unary/unary_s16.h"

static int32_t mcuc_unary_s16_scaled(const mcuc_unary_scaled_params *p, int32_t x)
{
  int32_t y;
  x = p->fold && x < 0 ? -x : x;
  if (x >= 0) {
    y = mcuc_multiply_by_quantized_multiplier(x, p->multiplier, p->shift);
  } else {
    y = mcuc_multiply_by_quantized_multiplier(x, p->below_multiplier, p->below_shift);
  }
  y = y > 32767 ? 32767 : y;
  return y < -32768 ? -32768 : y;
}

#define MCUC_KERNEL mcuc_unary_s16_s16_scaled__c
#define MCUC_PARAMS mcuc_unary_scaled_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, x) mcuc_unary_s16_scaled(p, x)
#include "mcuc/each.h"
