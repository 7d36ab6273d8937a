#ifndef MCUC_PAIRWISE_H
#define MCUC_PAIRWISE_H

#include <stdint.h>

/* In the order of FUNCTIONS in mcuc/ops/pairwise.py. */
enum {
  MCUC_PAIRWISE_SUB,
  MCUC_PAIRWISE_DIV,
  MCUC_PAIRWISE_SQUARED_DIFFERENCE,
  MCUC_PAIRWISE_MINIMUM,
  MCUC_PAIRWISE_PRELU,
  MCUC_PAIRWISE_LESS,
  MCUC_PAIRWISE_LESS_EQUAL,
  MCUC_PAIRWISE_GREATER,
  MCUC_PAIRWISE_GREATER_EQUAL,
  MCUC_PAIRWISE_EQUAL,
  MCUC_PAIRWISE_NOT_EQUAL,
  MCUC_PAIRWISE_LOGICAL_AND,
  MCUC_PAIRWISE_LOGICAL_OR,
  MCUC_PAIRWISE_MAXIMUM,
  MCUC_PAIRWISE_POW,
  MCUC_PAIRWISE_ADD,
  MCUC_PAIRWISE_MUL,
  MCUC_PAIRWISE_FLOOR_DIV,
  MCUC_PAIRWISE_FLOOR_MOD
};

/* Filled by mcuc/ops/pairwise.py, as the others. */
typedef struct mcuc_pairwise_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t function;
} mcuc_pairwise_params;

typedef struct mcuc_pairwise_scaled_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t function;
  int32_t a_zero, a_multiplier, a_shift;
  int32_t b_zero, b_multiplier, b_shift;
} mcuc_pairwise_scaled_params;

typedef struct mcuc_pairwise_f32_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t function;
  float low, high; /* clamping range */
} mcuc_pairwise_f32_params;

typedef struct mcuc_pairwise_sub_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t a_zero, a_multiplier, a_shift;
  int32_t b_zero, b_multiplier, b_shift;
  int32_t out_offset, multiplier, shift;
  int32_t low, high; /* clamping range */
} mcuc_pairwise_sub_params;

typedef struct mcuc_pairwise_prelu_params {
  int32_t channels;       /* of the output */
  int32_t a_step, b_step; /* 1, or 0: the operand has one channel, used for all */
  int32_t a_zero, b_zero, out_offset;
  int32_t multiplier, shift;             /* of x */
  int32_t below_multiplier, below_shift; /* of x times a slope */
} mcuc_pairwise_prelu_params;

#endif
