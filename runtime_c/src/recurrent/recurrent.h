/* Records and steps that the cells of recurrent networks share. Rule: mcuc/ops/recurrent.py. */
#ifndef MCUC_RECURRENT_H
#define MCUC_RECURRENT_H

#include <stdint.h>

#include "mcuc/ffunctions.h"

/* Filled by mcuc/ops/recurrent.py. */
typedef struct mcuc_recurrent_rnn_params {
  const float *weights;   /* [gates][units][depth] */
  const float *recurrent; /* [gates][units][units] */
  const float *bias;      /* [2][gates][units], of both */
  int32_t steps, batch, depth, units;
  int32_t reverse;
  float clip;
} mcuc_recurrent_rnn_params;

typedef struct mcuc_recurrent_gru_params {
  const float *weights, *recurrent, *bias;
  int32_t steps, batch, depth, units;
  int32_t reverse;
  float clip;
  int32_t linear_before_reset;
} mcuc_recurrent_gru_params;

typedef struct mcuc_recurrent_lstm_params {
  const float *weights, *recurrent, *bias;
  int32_t steps, batch, depth, units;
  int32_t reverse;
  float clip;
  const float *peephole; /* [3][units]: input, output, forget */
  float cell_clip;
} mcuc_recurrent_lstm_params;

/* An LSTM with int8 weights. */
typedef struct mcuc_recurrent_hybrid_params {
  const int8_t *weights, *recurrent;
  const float *bias;
  int32_t steps, batch, depth, units;
  int32_t reverse;
  float clip;
  const float *peephole;
  float cell_clip;
  const float *scales; /* [2][4][units], of the weights */
  int32_t asymmetric;
} mcuc_recurrent_hybrid_params;

/* sum_k w[k] x[k] + bias, in order. */
static inline float mcuc_recurrent_dot(const float *w, const float *x, int32_t n, float bias)
{
  float sum = 0.0f;
  int32_t k;
  for (k = 0; k < n; ++k) {
    sum += x[k] * w[k];
  }
  return sum + bias;
}

#endif
