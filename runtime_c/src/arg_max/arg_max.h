#ifndef MCUC_ARG_MAX_H
#define MCUC_ARG_MAX_H

#include <stdint.h>

/* Filled by mcuc/ops/arg_max.py: an input of [outer][size][inner] elements. */
typedef struct mcuc_arg_max_params {
  int32_t outer, size, inner;
  int32_t least; /* 1: the minimum */
  int32_t wide;  /* 1: indices of int64 */
} mcuc_arg_max_params;

#endif
