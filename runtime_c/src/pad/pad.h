/* PAD and PADV2 of int8: the records that their kernels read.
 *
 * Rule: mcuc/ops/pad.py, docs/numerics.md "PAD".
 */
#ifndef MCUC_PAD_H
#define MCUC_PAD_H

#include "mcuc/program.h"

#define MCUC_PAD_RANK 5

/* Rows and columns only. */
typedef struct mcuc_pad_copy_params {
  int32_t channels;
  int32_t fill;
} mcuc_pad_copy_params;

/* Any axis; shapes of rank MCUC_PAD_RANK, leading axes 1. */
typedef struct mcuc_pad_params {
  const int32_t *in_size;
  const int32_t *out_size;
  const int32_t *before; /* elements before each axis */
  int32_t fill;
} mcuc_pad_params;

#endif
