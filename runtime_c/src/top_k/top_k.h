#ifndef MCUC_TOP_K_H
#define MCUC_TOP_K_H

#include <stdint.h>

/* Filled by mcuc/ops/top_k.py: an input of [rows][size] elements. */
typedef struct mcuc_top_k_params {
  int32_t rows, size, k;
  int32_t least; /* 1: the least elements */
  int32_t wide;  /* 1: indices of int64 */
} mcuc_top_k_params;

#endif
