#ifndef MCUC_LOG_SOFTMAX_H
#define MCUC_LOG_SOFTMAX_H

#include <stdint.h>

/* Filled by mcuc/ops/log_softmax.py. */
typedef struct mcuc_log_softmax_params {
  int32_t channels;
} mcuc_log_softmax_params;

#endif
