/* CONV_2D of float32: the record that its kernels read, and their inner sum.
 *
 * Rule: mcuc/ops/float_weights.py, docs/numerics.md "Operators on float32".
 */
#ifndef MCUC_CONV2D_F32_H
#define MCUC_CONV2D_F32_H

#include "mcuc/fmath.h"
#include "mcuc/program.h"

typedef struct mcuc_conv2d_f32_params {
  const float *weights; /* [out][kernel_h][kernel_w][group_in] */
  const float *bias;    /* [out] */
  int32_t groups;
  int32_t group_in;  /* input channels of a group */
  int32_t group_out; /* output channels of a group */
  int32_t kernel_h, kernel_w;
  int32_t stride_w;
  int32_t dilation_w;
  float low, high; /* clamping range */
} mcuc_conv2d_f32_params;

/* acc + x[0] * w[0] + x[1] * w[1] + ..., rounded after each operation. */
static inline float mcuc_conv2d_f32_dot(float acc, const float *x, const float *w, int32_t n)
{
  int32_t i;
  for (i = 0; i < n; ++i) {
    acc += x[i] * w[i];
  }
  return acc;
}

#endif
