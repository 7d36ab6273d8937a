/* FLOOR_DIV and FLOOR_MOD, float32, with broadcast: the quotient, rounded down, and the exact rest,
 * of the sign of b.
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/pairwise.py:ref.
 */
#include "mcuc/froots.h"
#include "mcuc/program.h"
#include "pairwise/pairwise.h"

/* a - trunc(a / b) * b, of the sign of a; every step is exact. */
static float mcuc_pairwise_f32_rest(float a, float b)
{
  const float size = b < 0.0f ? -b : b;
  float rest = a < 0.0f ? -a : a;
  float part = size;
  if (!(rest - rest == 0.0f) || b == 0.0f || b != b) {
    return (a - a) / (b - b); /* no number */
  }
  while (part <= rest - part) {
    part += part;
  }
  for (; part >= size && rest >= size; part *= 0.5f) {
    rest -= rest >= part ? part : 0.0f;
  }
  if (a == 0.0f) {
    return a; /* keeps the sign of zero */
  }
  return a < 0.0f ? -rest : rest;
}

static float mcuc_pairwise_f32_floor(int32_t function, float a, float b)
{
  float rest;
  if (function == MCUC_PAIRWISE_FLOOR_DIV) {
    return mcuc_floorf(a / b);
  }
  rest = mcuc_pairwise_f32_rest(a, b);
  return rest != 0.0f && (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}

#define MCUC_KERNEL mcuc_pairwise_f32_f32_f32_floor__c
#define MCUC_PARAMS mcuc_pairwise_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, a, b) mcuc_pairwise_f32_floor((p)->function, a, b)
#include "mcuc/each_pair.h"
