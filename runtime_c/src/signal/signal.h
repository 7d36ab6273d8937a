/* Records of the audio front-end's kernels. Rules: mcuc/numerics/audio.py. */
#ifndef MCUC_SIGNAL_H
#define MCUC_SIGNAL_H

#include <stdint.h>

/* Filled by mcuc/ops/signal.py. `size`: elements of the first operand. */
typedef struct mcuc_signal_window_params {
  int32_t size, width;
  int32_t shift;
  const int16_t *window; /* [width] */
} mcuc_signal_window_params;

typedef struct mcuc_signal_auto_scale_params {
  int32_t size;
} mcuc_signal_auto_scale_params;

typedef struct mcuc_signal_scale_bits_params {
  int32_t size;
} mcuc_signal_scale_bits_params;

typedef struct mcuc_signal_rfft_params {
  int32_t size;
  int32_t fft_length;           /* a power of two */
  const int16_t *twiddles;      /* [fft_length / 2][2]: exp(-2 pi i k / (fft_length / 2)) */
  const int16_t *last_twiddles; /* [fft_length / 4][2] */
  const uint16_t *order;        /* [fft_length / 2] */
} mcuc_signal_rfft_params;

typedef struct mcuc_signal_overlap_add_params {
  int32_t size;
  int32_t frame, step; /* step < frame */
  int32_t count;       /* frames in a row */
} mcuc_signal_overlap_add_params;

typedef struct mcuc_signal_energy_params {
  int32_t size;
  int32_t start_index, end_index;
} mcuc_signal_energy_params;

typedef struct mcuc_signal_filter_bank_params {
  int32_t size;
  int32_t num_channels;
  const int16_t *weights, *unweights;           /* what counts for a channel, and for the next */
  const int16_t *frequencies, *starts, *widths; /* [num_channels + 1] */
} mcuc_signal_filter_bank_params;

typedef struct mcuc_signal_root_params {
  int32_t size;
} mcuc_signal_root_params;

typedef struct mcuc_signal_subtraction_params {
  int32_t size;
  int32_t smoothing, alternate_smoothing; /* of even and odd channels */
  int32_t one_minus_smoothing, alternate_one_minus_smoothing;
  int32_t smoothing_bits, spectral_subtraction_bits;
  int32_t min_signal_remaining;
  int32_t clamping;
} mcuc_signal_subtraction_params;

typedef struct mcuc_signal_pcan_params {
  int32_t size;
  int32_t snr_shift;
  const int16_t *gain; /* [125] */
} mcuc_signal_pcan_params;

typedef struct mcuc_signal_log_params {
  int32_t size;
  int32_t output_scale, input_correction_bits;
  const int16_t *table; /* [130] log2(1 + k / 128) - k / 128 */
} mcuc_signal_log_params;

/* Bits up to the highest one; 0 of 0. */
static inline int32_t mcuc_signal_bits(uint32_t x)
{
  int32_t bits = 0;
  while (x != 0U) {
    x >>= 1;
    ++bits;
  }
  return bits;
}

/* How far to the left n elements may be shifted. */
static inline int32_t mcuc_signal_headroom(const int16_t *x, int32_t n)
{
  int32_t largest = 0;
  int32_t i, bits;
  for (i = 0; i < n; ++i) {
    const int32_t size = x[i] < 0 ? -(int32_t)x[i] : x[i];
    largest = size > largest ? size : largest;
  }
  bits = 15 - mcuc_signal_bits((uint32_t)largest);
  return bits > 0 ? bits : 0;
}

#endif
