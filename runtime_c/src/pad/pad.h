/* PAD and PADV2 of any element type: the records that their kernels read.
 *
 * Rule: mcuc/ops/pad.py, docs/numerics.md "PAD".
 */
#ifndef MCUC_PAD_H
#define MCUC_PAD_H

#include <string.h>

#include "mcuc/program.h"

#define MCUC_PAD_RANK 5

/* Rows and columns only. */
typedef struct mcuc_pad_copy_params {
  const uint8_t *fill; /* [element] */
  int32_t bytes;       /* of a pixel */
  int32_t element;     /* bytes of an element */
} mcuc_pad_copy_params;

/* Any axis; shapes of rank MCUC_PAD_RANK, leading axes 1. */
typedef struct mcuc_pad_params {
  const int32_t *in_size;
  const int32_t *out_size;
  const int32_t *before; /* elements before each axis */
  const uint8_t *fill;   /* [element] */
  int32_t element;       /* bytes of an element */
} mcuc_pad_params;

/* Writes `bytes` bytes of elements of the value. */
static inline void mcuc_pad_fill(uint8_t *dst, const uint8_t *fill, int32_t element, int32_t bytes)
{
  int32_t i;
  if (element == 1) {
    memset(dst, fill[0], (size_t)bytes);
    return;
  }
  for (i = 0; i < bytes; i += element) {
    memcpy(dst + i, fill, (size_t)element);
  }
}

#endif
