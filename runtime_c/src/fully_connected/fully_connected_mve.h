/* FULLY_CONNECTED of int8 by Helium: the record. */
#ifndef MCUC_FULLY_CONNECTED_MVE_H
#define MCUC_FULLY_CONNECTED_MVE_H

#include "fully_connected/fully_connected.h"
#include "mcuc/mve_end.h"

/* Weights without zero point. `stream` has for each four units by vector the weights of each; then
 * members of mcuc_fully_connected_line as mcuc_mve_scales. Missing units have weights of 0. */
typedef struct mcuc_fully_connected_mve_params {
  const int32_t *stream;
  int32_t vectors; /* of a depth */
  int32_t depth;
  int32_t units;
  int32_t low, high; /* clamping range */
} mcuc_fully_connected_mve_params;

#endif
