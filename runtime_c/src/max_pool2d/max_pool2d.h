/* MAX_POOL_2D of int8: the record that its kernels read.
 *
 * Rule: mcuc/ops/max_pool2d.py, docs/numerics.md "MAX_POOL_2D".
 */
#ifndef MCUC_MAX_POOL2D_H
#define MCUC_MAX_POOL2D_H

#include "mcuc/program.h"

typedef struct mcuc_max_pool2d_params {
  int32_t channels;
  int32_t stride_w, dilation_w;
  int32_t low, high; /* clamping range */
} mcuc_max_pool2d_params;

#endif
