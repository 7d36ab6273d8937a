/* A function of int16: linear interpolation between 513 samples over the range of int16.
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int16; may be src
 * Bit-exact to mcuc/numerics/int16.py:look_up.
 */
#include "mcuc/program.h"
#include "unary/unary_s16.h"

static int32_t mcuc_unary_s16_look_up(const int16_t *samples, int32_t x)
{
  const int32_t index = 256 + (x >> 7);
  const int32_t slope = samples[index + 1] - samples[index];
  return samples[index] + ((slope * (x & 127) + 64) >> 7);
}

#define MCUC_KERNEL mcuc_unary_s16_s16_table__c
#define MCUC_PARAMS mcuc_unary_table_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, x) mcuc_unary_s16_look_up((p)->samples, x)
#include "mcuc/each.h"
