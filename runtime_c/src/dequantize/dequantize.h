#ifndef MCUC_DEQUANTIZE_H
#define MCUC_DEQUANTIZE_H

#include <stdint.h>

/* Filled by mcuc/ops/dequantize.py. */
typedef struct mcuc_dequantize_params {
  int32_t channels;
  float scale;
  int32_t zero_point;
} mcuc_dequantize_params;

/* From float16. */
typedef struct mcuc_dequantize_f16_params {
  int32_t channels;
} mcuc_dequantize_f16_params;

#endif
