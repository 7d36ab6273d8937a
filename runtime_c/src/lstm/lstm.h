#ifndef MCUC_LSTM_H
#define MCUC_LSTM_H

#include <stdint.h>

/* Filled by mcuc/ops/lstm.py. Gates in the order input, forget, cell, output. */
typedef struct mcuc_lstm_params {
  const int8_t *weights;     /* [4][units][depth] */
  const int8_t *recurrent;   /* [4][units][units] */
  const int32_t *bias;       /* [4][units], the input's zero point folded in */
  const int32_t *multiplier; /* [8]: of the products with x, and with h */
  const int32_t *shift;      /* [8] */
  int32_t hidden_multiplier, hidden_shift;
  int32_t steps, depth, units;
  int32_t cell_bits; /* fractional bits of the cell */
  int32_t clip;      /* largest magnitude of the cell, 0 = no limit */
} mcuc_lstm_params;

#endif
