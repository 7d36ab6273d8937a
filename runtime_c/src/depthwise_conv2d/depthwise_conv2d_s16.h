/* DEPTHWISE_CONV_2D of int16 with int8 weights: the record that its kernel reads.
 *
 * Rule: mcuc/ops/int16_weights.py, docs/numerics.md "Operators on int16".
 */
#ifndef MCUC_DEPTHWISE_CONV2D_S16_H
#define MCUC_DEPTHWISE_CONV2D_S16_H

#include "mcuc/program.h"
#include "mcuc/requant.h"

typedef struct mcuc_depthwise_conv2d_s16_params {
  const int8_t *weights;      /* [kernel_h][kernel_w][channels * channel_multiplier] */
  const int64_t *bias;        /* [out] */
  const int16_t *multiplier;  /* [out] */
  const int8_t *right;        /* [out] shift to the right */
  int32_t channels;           /* of the input */
  int32_t channel_multiplier; /* output channels per input channel */
  int32_t kernel_h, kernel_w;
  int32_t stride_w;
  int32_t dilation_w;
  int32_t low, high; /* clamping range */
} mcuc_depthwise_conv2d_s16_params;

#endif
