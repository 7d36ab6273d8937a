#ifndef MCUC_SVDF_TIME_H
#define MCUC_SVDF_TIME_H

#include <stdint.h>

/* Filled by mcuc/ops/svdf_time.py. */
typedef struct mcuc_svdf_time_s16_params {
  int32_t units, rank, memory;
  const int16_t *weights; /* [units * rank][memory] */
  const int32_t *bias;    /* [units] */
  int32_t state_zero;     /* 0 */
  int32_t multiplier, shift, out_offset;
} mcuc_svdf_time_s16_params;

typedef struct mcuc_svdf_time_s8_params {
  int32_t units, rank, memory;
  const int8_t *weights; /* [units * rank][memory] */
  const int32_t *bias;   /* [units] */
  int32_t state_zero;    /* the state holds numbers less this, cut to 8 bits */
  int32_t multiplier, shift, out_offset;
} mcuc_svdf_time_s8_params;

typedef struct mcuc_svdf_time_f32_params {
  int32_t units, rank, memory;
  const float *weights; /* [units * rank][memory] */
  const float *bias;    /* [units] */
  float low, high;      /* clamping range */
} mcuc_svdf_time_f32_params;

#endif
