/* DEPTHWISE_CONV_2D of float32: the record that its kernels read.
 *
 * Rule: mcuc/ops/float_weights.py, docs/numerics.md "Operators on float32".
 */
#ifndef MCUC_DEPTHWISE_CONV2D_F32_H
#define MCUC_DEPTHWISE_CONV2D_F32_H

#include "mcuc/fmath.h"
#include "mcuc/program.h"

typedef struct mcuc_depthwise_conv2d_f32_params {
  const float *weights;       /* [kernel_h][kernel_w][channels * channel_multiplier] */
  const float *bias;          /* [out] */
  int32_t channels;           /* of the input */
  int32_t channel_multiplier; /* output channels per input channel */
  int32_t kernel_h, kernel_w;
  int32_t stride_w;
  int32_t dilation_w;
  float low, high; /* clamping range */
} mcuc_depthwise_conv2d_f32_params;

#endif
