#ifndef MCUC_LUT_H
#define MCUC_LUT_H

#include <stdint.h>

/* Filled by mcuc/ops/lut.py. */
typedef struct mcuc_lut_params {
  int32_t channels;
  const uint8_t *table; /* [256]: result byte for each input byte, read as unsigned */
} mcuc_lut_params;

#endif
