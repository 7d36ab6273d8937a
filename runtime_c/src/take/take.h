#ifndef MCUC_TAKE_H
#define MCUC_TAKE_H

#include <stdint.h>

/* Filled by mcuc/ops/take.py. */
typedef struct mcuc_take_params {
  const uint16_t *rows;    /* input row of each output row */
  const uint16_t *columns; /* input pixel of each output pixel of a row */
  const int32_t *runs;     /* n_runs x (first byte in the input's pixel, number of bytes) */
  int32_t n_runs;
  int32_t whole; /* 1: the one run is the whole pixel */
} mcuc_take_params;

#endif
