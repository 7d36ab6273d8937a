#ifndef MCUC_BATCH_MATMUL_H
#define MCUC_BATCH_MATMUL_H

#include <stdint.h>

/* Filled by mcuc/ops/batch_matmul.py. Strides are elements. */
typedef struct mcuc_batch_matmul_params {
  int32_t batch, rows, columns, depth;
  const int32_t *a_start, *b_start; /* [batch] first element of the matrices */
  int32_t a_row, a_step;            /* from row to row, from factor to factor */
  int32_t b_column, b_step;
  int32_t a_zero, b_zero; /* of int8, as all below */
  int32_t multiplier, shift, out_offset;
} mcuc_batch_matmul_params;

#endif
