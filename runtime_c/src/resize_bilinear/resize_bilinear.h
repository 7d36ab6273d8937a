#ifndef MCUC_RESIZE_BILINEAR_H
#define MCUC_RESIZE_BILINEAR_H

#include <stdint.h>

/* Filled by mcuc/ops/resize_bilinear.py. */
typedef struct mcuc_resize_bilinear_params {
  const int16_t *rows;    /* by output row: the input rows above and below */
  const int16_t *columns; /* by output column: the input columns left and right */
  const int16_t *down;    /* by output row: distance from the row above, in 2^-10 */
  const int16_t *right;   /* by output column: distance from the column left of it */
  int32_t channels;
} mcuc_resize_bilinear_params;

typedef struct mcuc_resize_bilinear_f32_params {
  const int16_t *rows;
  const int16_t *columns;
  const float *down;
  const float *right;
  int32_t channels;
} mcuc_resize_bilinear_f32_params;

#endif
