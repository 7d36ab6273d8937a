/* CONV_2D of int8: the record that its kernels read, and how they end an accumulator.
 *
 * Rule: mcuc/ops/conv2d.py, docs/numerics.md "CONV_2D".
 */
#ifndef MCUC_CONV2D_H
#define MCUC_CONV2D_H

#include "mcuc/program.h"
#include "mcuc/requant.h"

typedef struct mcuc_conv2d_params {
  const int8_t *weights;     /* [out][kernel_h][kernel_w][group_in] */
  const int32_t *bias;       /* [out], the input's zero point folded in */
  const int32_t *multiplier; /* [out] */
  const int8_t *shift;       /* [out], positive to the left */
  int32_t groups;
  int32_t group_in;  /* input channels of a group */
  int32_t group_out; /* output channels of a group */
  int32_t stride_w;
  int32_t dilation_w;
  int32_t out_offset; /* the output's zero point */
  int32_t low, high;  /* clamping range */
} mcuc_conv2d_params;

/* acc, a sum modulo 2^32 with the bias, as an element of output channel o. */
static inline int8_t mcuc_conv2d_finish(const mcuc_conv2d_params *p, uint32_t acc, int32_t o)
{
  int32_t y = mcuc_multiply_by_quantized_multiplier((int32_t)acc, p->multiplier[o], p->shift[o]);
  y = mcuc_saturate_to_int32((int64_t)y + p->out_offset);
  y = y < p->low ? p->low : y;
  y = y > p->high ? p->high : y;
  return (int8_t)y;
}

/* Sum of x[i] * w[i] over n elements, modulo 2^32 as the reference's int32 accumulator. */
static inline uint32_t mcuc_conv2d_dot(uint32_t acc, const int8_t *x, const int8_t *w, int32_t n)
{
  int32_t i;
  for (i = 0; i < n; ++i) {
    acc += (uint32_t)((int32_t)x[i] * w[i]);
  }
  return acc;
}

#endif
