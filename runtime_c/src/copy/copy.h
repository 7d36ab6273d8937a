#ifndef MCUC_COPY_H
#define MCUC_COPY_H

#include <stdint.h>

/* Filled by mcuc/ops/copy_rows.py. */
typedef struct mcuc_copy_params {
  int32_t bytes; /* of one pixel of the operand */
} mcuc_copy_params;

#endif
