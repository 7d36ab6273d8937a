#ifndef MCUC_ADD_H
#define MCUC_ADD_H

#include <stdint.h>

/* Filled by mcuc/ops/add.py. All factors are below one: `right` shifts only. */
typedef struct mcuc_add_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t a_offset, a_multiplier, a_right;
  int32_t b_offset, b_multiplier, b_right;
  int32_t out_offset, multiplier, right;
  int32_t low, high; /* clamping range */
} mcuc_add_params;

/* For rules that are ((a * a_multiplier + b * b_multiplier + constant) >> right), clamped: the host
 * has compared them on all pairs of bytes (mcuc/ops/lines.py). */
typedef struct mcuc_add_plane_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t a_multiplier, b_multiplier;
  int32_t constant;
  int32_t right;
  int32_t low, high; /* clamping range */
} mcuc_add_plane_params;

#endif
