#ifndef MCUC_UNARY_H
#define MCUC_UNARY_H

#include <stdint.h>

/* In the order of FLOATS in mcuc/ops/unary.py. */
enum {
  MCUC_UNARY_ABS,
  MCUC_UNARY_NEG,
  MCUC_UNARY_SQUARE,
  MCUC_UNARY_SQRT,
  MCUC_UNARY_RSQRT,
  MCUC_UNARY_FLOOR,
  MCUC_UNARY_LEAKY_RELU,
  MCUC_UNARY_HARD_SWISH,
  MCUC_UNARY_RELU_0_TO_1,
  MCUC_UNARY_SIGN,
  MCUC_UNARY_EXP,
  MCUC_UNARY_LOG,
  MCUC_UNARY_TANH,
  MCUC_UNARY_SIN,
  MCUC_UNARY_COS,
  MCUC_UNARY_GELU,
  MCUC_UNARY_GELU_TANH
};

/* Filled by mcuc/ops/unary.py. */
typedef struct mcuc_unary_params {
  int32_t channels;
  int32_t function;
  float alpha; /* of LEAKY_RELU */
} mcuc_unary_params;

#endif
