#ifndef MCUC_REDUCE_H
#define MCUC_REDUCE_H

#include "mcuc/program.h"

enum { MCUC_REDUCE_MAX, MCUC_REDUCE_MIN, MCUC_REDUCE_SUM, MCUC_REDUCE_PROD };

/* Filled by mcuc/ops/reduce.py. The kernels that fold rows and columns read `channels`, those over
 * any axes the loops: three, outermost first, each (size, stride in elements). */
typedef struct mcuc_reduce_params {
  int32_t channels;
  const int32_t *kept;
  const int32_t *reduced;
  int32_t kind;
  int32_t start; /* of each accumulator */
} mcuc_reduce_params;

typedef struct mcuc_reduce_f32_params {
  int32_t channels;
  const int32_t *kept;
  const int32_t *reduced;
  int32_t kind;
  float start;
} mcuc_reduce_f32_params;

typedef struct mcuc_reduce_s64_params {
  int32_t channels;
  const int32_t *kept;
  const int32_t *reduced;
  int32_t kind;
  int64_t start;
} mcuc_reduce_s64_params;

/* An accumulator with one element more. */
static inline int32_t mcuc_reduce_step(int32_t kind, int32_t acc, int32_t x)
{
  return (kind == MCUC_REDUCE_MAX) == (x > acc) ? x : acc;
}

/* The same of int32, with sums and products, which wrap around. */
static inline int32_t mcuc_reduce_s32_step(int32_t kind, int32_t acc, int32_t x)
{
  switch (kind) {
    case MCUC_REDUCE_SUM:
      return (int32_t)((uint32_t)acc + (uint32_t)x);
    case MCUC_REDUCE_PROD:
      return (int32_t)((uint32_t)acc * (uint32_t)x);
    default:
      return mcuc_reduce_step(kind, acc, x);
  }
}

static inline float mcuc_reduce_f32_step(int32_t kind, float acc, float x)
{
  switch (kind) {
    case MCUC_REDUCE_MAX:
      return x > acc ? x : acc;
    case MCUC_REDUCE_MIN:
      return x < acc ? x : acc;
    case MCUC_REDUCE_SUM:
      return acc + x;
    default:
      return acc * x;
  }
}

#endif
