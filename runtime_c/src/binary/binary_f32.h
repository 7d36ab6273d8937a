#ifndef MCUC_BINARY_F32_H
#define MCUC_BINARY_F32_H

#include <stdint.h>

/* Element-wise ops of two float32 tensors. Filled by mcuc/ops/binary.py. */
typedef struct mcuc_binary_f32_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  float low, high;        /* clamping range */
} mcuc_binary_f32_params;

#endif
