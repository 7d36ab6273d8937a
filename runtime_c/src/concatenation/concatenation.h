#ifndef MCUC_CONCATENATION_H
#define MCUC_CONCATENATION_H

#include <stdint.h>

/* Filled by mcuc/ops/concatenation.py. */
enum { MCUC_JOIN_ROWS, MCUC_JOIN_COLUMNS, MCUC_JOIN_CHANNELS };
typedef struct mcuc_concatenation_params {
  int32_t join;          /* one of the above */
  int32_t count;         /* operands */
  const int32_t *starts; /* [count + 1] first row, column or byte of each operand in the output */
  int32_t bytes;         /* of one output pixel */
} mcuc_concatenation_params;

#endif
