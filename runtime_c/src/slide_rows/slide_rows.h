#ifndef MCUC_SLIDE_ROWS_H
#define MCUC_SLIDE_ROWS_H

#include <stdint.h>

/* Filled by mcuc/ops/slide_rows.py. */
typedef struct mcuc_slide_rows_params {
  int32_t kept_bytes; /* of the rows that stay */
  int32_t new_bytes;  /* of those that come, and of those that go */
} mcuc_slide_rows_params;

#endif
