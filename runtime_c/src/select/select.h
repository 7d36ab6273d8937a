#ifndef MCUC_SELECT_H
#define MCUC_SELECT_H

#include <stdint.h>

/* Filled by mcuc/ops/select.py. */
typedef struct mcuc_select_params {
  int32_t channels; /* of the output */
  int32_t bytes;    /* of an element */
  /* [3], by operand: 1, or 0 where it has one row, column or channel, used for all */
  const int32_t *row, *column, *step;
} mcuc_select_params;

#endif
