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

/* Output channels [o, o + rows) of a pixel, at y, from their sums. */
static inline void mcuc_conv2d_f32_finish(const mcuc_conv2d_f32_params *p, const float *acc,
                                          float *y, int32_t o, int32_t rows)
{
  int32_t k;
  for (k = o; k < o + rows; ++k) {
    y[k] = mcuc_clamp_f32(*acc++ + p->bias[k], p->low, p->high);
  }
}

#endif
