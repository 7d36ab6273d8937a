/* TANH of int16: 2 sigmoid(2 x) - 1, by interpolation in a table of half the sigmoid.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int16 in steps of 1/32768; may be src
 * |x * multiplier| < 2^31. Bit-exact to mcuc/numerics/sigmoid.py:tanh.
 */
#include "mcuc/program.h"
#include "unary/unary_s16.h"

static int32_t mcuc_unary_s16_tanh(const mcuc_unary_tanh_params *p, int32_t x)
{
  const int64_t half = ((int64_t)1 << p->right) >> 1;
  const int32_t scaled = (int32_t)(((int64_t)x * p->multiplier + half) >> p->right);
  const uint32_t size = scaled < 0 ? 0U - (uint32_t)scaled : (uint32_t)scaled;
  const uint32_t index = size >> 8;
  int32_t value = 0xFFFF << 8;
  if (index < 255U) {
    const int32_t low = p->samples[index];
    value = low * 256 + (int32_t)(size & 255U) * (p->samples[index + 1U] - low);
  }
  value -= 1 << 23;
  return (scaled >= 0 ? value + 128 : 127 - value) >> 8;
}

#define MCUC_KERNEL mcuc_unary_s16_s16_tanh__c
#define MCUC_PARAMS mcuc_unary_tanh_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, x) mcuc_unary_s16_tanh(p, x)
#include "mcuc/each.h"
