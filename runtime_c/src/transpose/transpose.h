#ifndef MCUC_TRANSPOSE_H
#define MCUC_TRANSPOSE_H

#include <stdint.h>

/* Filled by mcuc/ops/transpose.py. */
typedef struct mcuc_transpose_params {
  const int32_t *loops; /* 5 x (size, input stride in elements), outermost first */
} mcuc_transpose_params;

#endif
