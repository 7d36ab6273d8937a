#ifndef MCUC_UNARY_WHOLE_H
#define MCUC_UNARY_WHOLE_H

#include <stdint.h>

/* In the order of FUNCTIONS in mcuc/ops/unary_whole.py. */
enum { MCUC_UNARY_WHOLE_ABS, MCUC_UNARY_WHOLE_NEG, MCUC_UNARY_WHOLE_SIGN };

/* Filled by mcuc/ops/unary_whole.py. */
typedef struct mcuc_unary_whole_params {
  int32_t channels;
  int32_t function;
} mcuc_unary_whole_params;

#endif
