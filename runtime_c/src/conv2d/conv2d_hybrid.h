/* CONV_2D of float32 with int8 weights: the record that its kernel reads.
 *
 * Rule: mcuc/ops/hybrid_weights.py, docs/numerics.md "Dynamic range".
 */
#ifndef MCUC_CONV2D_HYBRID_H
#define MCUC_CONV2D_HYBRID_H

#include "mcuc/hybrid.h"
#include "mcuc/program.h"

typedef struct mcuc_conv2d_hybrid_params {
  const int8_t *weights; /* [outputs][kernel_h][kernel_w][channels / groups] */
  const float *scales;   /* [outputs] of the weights */
  const float *bias;     /* [outputs] */
  int32_t in_h, in_w, channels;
  int32_t out_h, out_w, outputs;
  int32_t kernel_h, kernel_w;
  int32_t stride_h, stride_w;
  int32_t dilation_h, dilation_w;
  int32_t pad_top, pad_left;
  int32_t groups;
  int32_t per_channel; /* 1: weights have a scale per output, and inputs a zero point */
  float low, high;     /* clamping range */
} mcuc_conv2d_hybrid_params;

#endif
