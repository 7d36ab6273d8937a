#ifndef MCUC_MEAN_WHOLE_H
#define MCUC_MEAN_WHOLE_H

#include <stdint.h>

/* Filled by mcuc/ops/mean.py: int32 and int64, over any axes; loops as in mcuc_mean_nd_params. */
typedef struct mcuc_mean_nd_whole_params {
  const int32_t *kept;
  const int32_t *reduced;
  int32_t count; /* of elements in a mean */
} mcuc_mean_nd_whole_params;

#endif
