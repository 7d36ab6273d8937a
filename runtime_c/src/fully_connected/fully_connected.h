/* FULLY_CONNECTED of int8: the records that its kernels read, and what they share.
 *
 * Rule: mcuc/ops/fully_connected.py, docs/numerics.md "FULLY_CONNECTED".
 */
#ifndef MCUC_FULLY_CONNECTED_H
#define MCUC_FULLY_CONNECTED_H

#include "mcuc/dsp.h"
#include "mcuc/program.h"

/* Rule set litert-2.3: the accumulator times a double, rounded to an integer. */
typedef struct mcuc_fully_connected_params {
  const int8_t *weights;      /* [units][depth] */
  const int32_t *bias;        /* [units], the zero points' constant part folded in */
  const uint64_t *mantissa;   /* [units] or [1]: the factor is mantissa * 2^-right_shift */
  const int16_t *right_shift; /* [units] or [1] */
  int32_t factor_step;        /* 1: a factor per unit; 0: one for all */
  int32_t depth;
  int32_t units;
  int32_t weights_offset; /* minus the weights' zero point */
  int32_t out_offset;     /* the output's zero point */
  int32_t low, high;      /* clamping range */
} mcuc_fully_connected_params;

/* How an accumulator becomes an element, for the kernels with `line` in their names:
 *   y = clamp(((acc * multiplier) >> 32) + constant) >> right
 * The host has proved that this is the rule for every acc (mcuc/ops/lines.py). */
typedef struct mcuc_fully_connected_line {
  int32_t bias;
  int32_t multiplier;
  int32_t constant;
  int32_t right;
} mcuc_fully_connected_line;

/* Cores with the DSP extension, weights without zero point. */
typedef struct mcuc_fully_connected_dsp_params {
  const int32_t *stream; /* by six units three biases, of every second unit; for each four k the
                            weights of three pairs (mcuc/dsp_dot.h), (k, k + 2), then
                            (k + 1, k + 3); and mcuc_fully_connected_pair. Then the same by two */
  int32_t sixes;         /* of units */
  int32_t depth;
  int32_t words; /* of four bytes, in a depth */
  int32_t units;
  int32_t low, high; /* clamping range */
} mcuc_fully_connected_dsp_params;

/* Multiply-accumulate, weights without zero point. */
typedef struct mcuc_fully_connected_mac_params {
  const int8_t *weights; /* by four units [depth][4] */
  const int32_t *lines;  /* [units, a multiple of 4] mcuc_fully_connected_line */
  int32_t depth;
  int32_t units;
  int32_t low, high; /* clamping range */
} mcuc_fully_connected_mac_params;

/* acc without its bias as an element. */
static inline int8_t mcuc_fully_connected_line_at(int32_t acc, const mcuc_fully_connected_line *l)
{
  const int32_t x = (int32_t)((uint32_t)acc + (uint32_t)l->bias);
  return (int8_t)mcuc_dsp_ssat8(mcuc_dsp_smmla(x, l->multiplier, l->constant) >> l->right);
}

/* Rule set tflm: requantized with two roundings, as a convolution is. */
typedef struct mcuc_fully_connected_tflm_params {
  const int8_t *weights;     /* [units][depth] */
  const int32_t *bias;       /* [units], the zero points' constant part folded in */
  const int32_t *multiplier; /* [units] */
  const int8_t *shift;       /* [units], positive to the left */
  int32_t depth;
  int32_t units;
  int32_t weights_offset; /* minus the weights' zero point */
  int32_t out_offset;     /* the output's zero point */
  int32_t low, high;      /* clamping range */
} mcuc_fully_connected_tflm_params;

/* acc + sum of x[i] * w[i] over n elements, modulo 2^32 as the reference's int32 accumulator. */
static inline uint32_t mcuc_fully_connected_dot(uint32_t acc, const int8_t *x, const int8_t *w,
                                                int32_t n)
{
  int32_t i;
  for (i = 0; i < n; ++i) {
    acc += (uint32_t)((int32_t)x[i] * w[i]);
  }
  return acc;
}

/* weights_offset * sum of x: what the weights' zero point adds to every unit of a pixel. */
static inline uint32_t mcuc_fully_connected_offset(int32_t weights_offset, const int8_t *x,
                                                   int32_t n)
{
  int32_t sum = 0; /* at most 2^31 / 128 elements */
  int32_t i;
  if (weights_offset == 0) {
    return 0;
  }
  for (i = 0; i < n; ++i) {
    sum += x[i];
  }
  return (uint32_t)sum * (uint32_t)weights_offset;
}

static inline int8_t mcuc_fully_connected_clamp(int32_t y, int32_t offset, int32_t low,
                                                int32_t high)
{
  /* clamped before the offset is added, which may then not overflow */
  y = y < low - offset ? low - offset : y;
  y = y > high - offset ? high - offset : y;
  return (int8_t)(y + offset);
}

#endif
