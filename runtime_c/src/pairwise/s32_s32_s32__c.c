/* ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, SQUARED_DIFFERENCE, FLOOR_DIV, FLOOR_MOD, int32, with
 * broadcast.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

/* Quotient, rounded down, and rest, of the sign of b; both 0 where b is 0. */
static int32_t mcuc_pairwise_s32_floor(int32_t function, int32_t a, int32_t b)
{
  int32_t rest;
  if (b == 0 || b == -1) { /* -2^31 / -1 wraps around */
    return function == MCUC_PAIRWISE_FLOOR_DIV && b != 0 ? (int32_t)(0U - (uint32_t)a) : 0;
  }
  rest = a % b;
  if (function == MCUC_PAIRWISE_FLOOR_DIV) {
    return a / b - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
  }
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Sums, differences and products wrap around; a quotient by 0 is 0. */
static int32_t mcuc_pairwise_s32(int32_t function, int32_t a, int32_t b)
{
  switch (function) {
    case MCUC_PAIRWISE_ADD:
      return (int32_t)((uint32_t)a + (uint32_t)b);
    case MCUC_PAIRWISE_SUB:
      return (int32_t)((uint32_t)a - (uint32_t)b);
    case MCUC_PAIRWISE_MUL:
      return (int32_t)((uint32_t)a * (uint32_t)b);
    case MCUC_PAIRWISE_DIV:
      if (b == -1) {
        return (int32_t)(0U - (uint32_t)a);
      }
      return b == 0 ? 0 : a / b;
    case MCUC_PAIRWISE_SQUARED_DIFFERENCE:
      return (int32_t)(((uint32_t)a - (uint32_t)b) * ((uint32_t)a - (uint32_t)b));
    case MCUC_PAIRWISE_FLOOR_DIV:
    case MCUC_PAIRWISE_FLOOR_MOD:
      return mcuc_pairwise_s32_floor(function, a, b);
    case MCUC_PAIRWISE_MAXIMUM:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

#define MCUC_KERNEL mcuc_pairwise_s32_s32_s32__c
#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_IN int32_t
#define MCUC_OUT int32_t
#define MCUC_EACH(p, a, b) mcuc_pairwise_s32((p)->function, a, b)
#include "mcuc/each_pair.h"
