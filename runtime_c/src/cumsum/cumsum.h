#ifndef MCUC_CUMSUM_H
#define MCUC_CUMSUM_H

#include <stdint.h>

/* Filled by mcuc/ops/cumsum.py: [outer][size][inner] elements. */
typedef struct mcuc_cumsum_params {
  int32_t outer, size, inner;
  int32_t exclusive, reverse;
} mcuc_cumsum_params;

#endif
