/* LOGISTIC of int16: linear interpolation in a table of half the function; results in 1/32768.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int16; may be src
 * |x * multiplier| < 2^31. Bit-exact to mcuc/numerics/sigmoid.py:logistic.
 */
#include "logistic/logistic.h"
#include "mcuc/program.h"

static int16_t mcuc_logistic_s16_one(const mcuc_logistic_s16_params *p, int32_t x)
{
  const int64_t half = ((int64_t)1 << p->right) >> 1;
  const int32_t scaled = (int32_t)(((int64_t)x * p->multiplier + half) >> p->right);
  const uint32_t size = scaled < 0 ? 0U - (uint32_t)scaled : (uint32_t)scaled;
  const uint32_t index = size >> 9;
  uint32_t value = (uint32_t)0x7FFF << 10;
  if (index < 255U) {
    const uint32_t low = p->samples[index];
    value = (low << 9) + (size & 511U) * (p->samples[index + 1U] - low);
  }
  value = scaled >= 0 ? value + 512U : ((uint32_t)1 << 25) - value + 511U;
  return (int16_t)(value >> 10);
}

#define MCUC_KERNEL mcuc_logistic_s16_s16__c
#define MCUC_PARAMS mcuc_logistic_s16_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, x) mcuc_logistic_s16_one(p, x)
#include "mcuc/each.h"
