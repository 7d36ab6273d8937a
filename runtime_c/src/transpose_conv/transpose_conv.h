#ifndef MCUC_TRANSPOSE_CONV_H
#define MCUC_TRANSPOSE_CONV_H

#include <stdint.h>

/* Filled by mcuc/ops/transpose_conv.py. */
typedef struct mcuc_transpose_conv_params {
  const int8_t *weights;     /* [out_c][kernel_h][kernel_w][in_c] */
  const int32_t *bias;       /* [out_c] */
  const int32_t *multiplier; /* [out_c] */
  const int8_t *shift;       /* [out_c], positive to the left */
  int32_t in_h, in_w, in_c;
  int32_t out_c;
  int32_t kernel_h, kernel_w;
  int32_t stride_h, stride_w;
  int32_t top, left;  /* rows and columns cut off */
  int32_t in_zero;    /* the input's zero point */
  int32_t out_offset; /* the output's zero point */
  int32_t low, high;  /* clamping range */
} mcuc_transpose_conv_params;

/* int16 with int8 weights. */
typedef struct mcuc_transpose_conv_s16_params {
  const int8_t *weights;     /* [out_c][kernel_h][kernel_w][in_c] */
  const int64_t *bias;       /* [out_c] */
  const int16_t *multiplier; /* [out_c] */
  const int8_t *right;       /* [out_c] shift to the right */
  int32_t in_h, in_w, in_c;
  int32_t out_c;
  int32_t kernel_h, kernel_w;
  int32_t stride_h, stride_w;
  int32_t top, left; /* rows and columns cut off */
  int32_t low, high; /* clamping range */
} mcuc_transpose_conv_s16_params;

typedef struct mcuc_transpose_conv_f32_params {
  const float *weights; /* [out_c][kernel_h][kernel_w][in_c] */
  const float *bias;    /* [out_c] */
  int32_t in_h, in_w, in_c;
  int32_t out_c;
  int32_t kernel_h, kernel_w;
  int32_t stride_h, stride_w;
  int32_t top, left; /* rows and columns cut off */
  float low, high;   /* clamping range */
} mcuc_transpose_conv_f32_params;

#endif
