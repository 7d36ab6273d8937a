/* DEQUANTIZE, float16 to float32: the same number.
 *
 * src : pixels of `channels` f16, as uint16_t
 * dst : pixels of `channels` f32
 * Bit-exact to mcuc/ops/dequantize.py:ref.
 */
#include <string.h>

#include "dequantize/dequantize.h"
#include "mcuc/program.h"

static float mcuc_dequantize_f16_one(uint32_t half)
{
  const uint32_t sign = (half & 0x8000U) << 16;
  const uint32_t exponent = (half >> 10) & 31U;
  const uint32_t fraction = half & 1023U;
  uint32_t bits = sign | ((exponent + 112U) << 23) | (fraction << 13);
  float result;
  if (exponent == 31U) { /* infinity or NaN, made quiet as a conversion does */
    bits = sign | 0x7F800000U | (fraction << 13) | (fraction != 0U ? 0x400000U : 0U);
  } else if (exponent == 0U) { /* zero or subnormal: a small integer times 2^-24 */
    result = (float)fraction * 5.9604644775390625e-8f;
    memcpy(&bits, &result, sizeof bits);
    bits |= sign;
  }
  memcpy(&result, &bits, sizeof result);
  return result;
}

#define MCUC_KERNEL mcuc_dequantize_f16_f32__c
#define MCUC_PARAMS mcuc_dequantize_f16_params
#define MCUC_IN uint16_t
#define MCUC_OUT float
#define MCUC_EACH(p, x) mcuc_dequantize_f16_one(x)
#include "mcuc/each.h"
