#ifndef MCUC_CONCATENATION_H
#define MCUC_CONCATENATION_H

#include <stdint.h>

/* Filled by mcuc/ops/concatenation.py. */
typedef struct mcuc_concatenation_params {
  int32_t bytes; /* of one pixel of the operand */
} mcuc_concatenation_params;

#endif
