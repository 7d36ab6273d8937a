#ifndef MCUC_L2_NORM_H
#define MCUC_L2_NORM_H

#include <stdint.h>

/* Filled by mcuc/ops/l2_norm.py. */
typedef struct mcuc_l2_norm_params {
  int32_t channels;
  int32_t zero_point;     /* of the input; 0 of float32 */
  int32_t before, behind; /* of int8: shifts to the left, before and behind the product */
} mcuc_l2_norm_params;

#endif
