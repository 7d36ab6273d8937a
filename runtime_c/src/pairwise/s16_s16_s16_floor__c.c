/* FLOOR_DIV and FLOOR_MOD, int16, with broadcast: quotient, rounded down, and rest, of the sign of
 * b; 0 where b is 0.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

static int32_t mcuc_pairwise_s16_floor(int32_t function, int32_t a, int32_t b)
{
  int32_t rest;
  if (b == 0) {
    return 0;
  }
  rest = a % b;
  if (function == MCUC_PAIRWISE_FLOOR_DIV) {
    return a / b - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
  }
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

#define MCUC_KERNEL mcuc_pairwise_s16_s16_s16_floor__c
#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_IN int16_t
#define MCUC_OUT int16_t
#define MCUC_EACH(p, a, b) mcuc_pairwise_s16_floor((p)->function, a, b)
#include "mcuc/each_pair.h"
