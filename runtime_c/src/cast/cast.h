#ifndef MCUC_CAST_H
#define MCUC_CAST_H

#include <stdint.h>

enum {
  MCUC_CAST_S8,
  MCUC_CAST_U8,
  MCUC_CAST_S16,
  MCUC_CAST_S32,
  MCUC_CAST_S64,
  MCUC_CAST_F32,
  MCUC_CAST_BOOL,
  MCUC_CAST_U32
};

/* Filled by mcuc/ops/cast.py. */
typedef struct mcuc_cast_params {
  int32_t channels;
  int32_t source, result; /* element types */
} mcuc_cast_params;

#endif
