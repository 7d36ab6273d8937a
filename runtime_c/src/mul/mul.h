#ifndef MCUC_MUL_H
#define MCUC_MUL_H

#include <stdint.h>

/* Filled by mcuc/ops/mul.py. */
typedef struct mcuc_mul_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t a_offset, b_offset;
  int32_t out_offset, multiplier, shift;
  int32_t low, high; /* clamping range */
} mcuc_mul_params;

#endif
