#ifndef MCUC_LOGISTIC_H
#define MCUC_LOGISTIC_H

#include <stdint.h>

/* Filled by mcuc/ops/logistic.py. */
typedef struct mcuc_logistic_f32_params {
  int32_t channels;
} mcuc_logistic_f32_params;

#endif
