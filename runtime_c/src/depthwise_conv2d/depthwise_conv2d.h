/* DEPTHWISE_CONV_2D of int8: the record that its kernels read, and how they end an accumulator.
 *
 * Rule: mcuc/ops/depthwise_conv2d.py, docs/numerics.md "DEPTHWISE_CONV_2D".
 */
#ifndef MCUC_DEPTHWISE_CONV2D_H
#define MCUC_DEPTHWISE_CONV2D_H

#include "mcuc/program.h"
#include "mcuc/requant.h"

/* Channels that are accumulated together. */
#define MCUC_DEPTHWISE_CONV2D_BLOCK 16

typedef struct mcuc_depthwise_conv2d_params {
  const int8_t *weights;      /* [kernel_h][kernel_w][channels * channel_multiplier] */
  const int32_t *bias;        /* [out], the input's zero point folded in */
  const int32_t *multiplier;  /* [out] */
  const int8_t *shift;        /* [out], positive to the left */
  int32_t channels;           /* of the input */
  int32_t channel_multiplier; /* output channels per input channel */
  int32_t kernel_h, kernel_w;
  int32_t in_zero; /* the input's zero point: what padding holds */
  int32_t stride_w;
  int32_t dilation_w;
  int32_t out_offset; /* the output's zero point */
  int32_t low, high;  /* clamping range */
} mcuc_depthwise_conv2d_params;

/* Weights with a zero point, from uint8 models. */
typedef struct mcuc_depthwise_conv2d_zero_params {
  mcuc_depthwise_conv2d_params base; /* its bias has the zero points' constant part folded in */
  int32_t weights_zero;
} mcuc_depthwise_conv2d_zero_params;

/* Whether kernel row i, column j lies in the map. */
static inline int mcuc_depthwise_conv2d_present(const mcuc_window_call *c, int32_t i, int32_t j)
{
  return i >= c->top && i < c->top + c->kernel_h && j >= c->left && j < c->left + c->kernel_w;
}

/* acc, a sum modulo 2^32 with the bias, as an element of output channel o. */
static inline int8_t mcuc_depthwise_conv2d_finish(const mcuc_depthwise_conv2d_params *p,
                                                  uint32_t acc, int32_t o)
{
  int32_t y = mcuc_multiply_by_quantized_multiplier((int32_t)acc, p->multiplier[o], p->shift[o]);
  /* clamped before the offset is added, which may then not overflow */
  y = y < p->low - p->out_offset ? p->low - p->out_offset : y;
  y = y > p->high - p->out_offset ? p->high - p->out_offset : y;
  return (int8_t)(y + p->out_offset);
}

#endif
