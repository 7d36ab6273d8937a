#ifndef MCUC_GATHER_H
#define MCUC_GATHER_H

#include <stdint.h>

/* Filled by mcuc/ops/gather.py: an input of [batch][outer][sizes ...][slice] bytes. */
typedef struct mcuc_gather_params {
  int32_t batch, outer;
  int32_t count;        /* indices of a batch */
  int32_t depth;        /* numbers of an index */
  const int32_t *sizes; /* [depth] of the axes that they count along */
  int32_t slice;        /* bytes behind these axes */
  int32_t wide;         /* 1: indices of int64 */
} mcuc_gather_params;

#endif
