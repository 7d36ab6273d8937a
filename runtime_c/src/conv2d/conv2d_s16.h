/* CONV_2D of int16 with int8 weights: the record that its kernels read, and what they share.
 *
 * Rule: mcuc/ops/int16_weights.py, docs/numerics.md "Operators on int16".
 */
#ifndef MCUC_CONV2D_S16_H
#define MCUC_CONV2D_S16_H

#include "mcuc/program.h"
#include "mcuc/dot_s16.h"
#include "mcuc/requant.h"

typedef struct mcuc_conv2d_s16_params {
  const int8_t *weights;     /* [out][kernel_h][kernel_w][group_in] */
  const int64_t *bias;       /* [out] */
  const int16_t *multiplier; /* [out] */
  const int8_t *right;       /* [out] shift to the right */
  int32_t groups;
  int32_t group_in;  /* input channels of a group */
  int32_t group_out; /* output channels of a group */
  int32_t kernel_h, kernel_w;
  int32_t stride_w;
  int32_t dilation_w;
  int32_t low, high; /* clamping range */
} mcuc_conv2d_s16_params;

/* acc as an element of output channel o. */
static inline int16_t mcuc_conv2d_s16_finish(const mcuc_conv2d_s16_params *p, int64_t acc,
                                             int32_t o)
{
  const int32_t y = mcuc_multiply_long_by_reduced(acc, p->multiplier[o], p->right[o]);
  if (y < p->low) {
    return (int16_t)p->low;
  }
  return (int16_t)(y > p->high ? p->high : y);
}

#endif
