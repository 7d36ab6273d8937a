#ifndef MCUC_REDUCE_F32_H
#define MCUC_REDUCE_F32_H

#include "reduce/reduce.h"

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
