#ifndef MCUC_RESAMPLE_H
#define MCUC_RESAMPLE_H

#include <stdint.h>

/* Filled by mcuc/ops/resample.py. */
typedef struct mcuc_resample_params {
  int32_t channels;
  int32_t row_taps, column_taps;
  const int16_t *rows, *columns; /* [..][taps] input rows, columns of each output row, column */
  const float *down, *across;    /* [..][taps] their weights */
} mcuc_resample_params;

#endif
