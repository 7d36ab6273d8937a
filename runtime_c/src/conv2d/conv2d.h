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
  int32_t kernel_h, kernel_w;
  int32_t in_zero; /* the input's zero point: what padding holds */
  int32_t stride_w;
  int32_t dilation_w;
  int32_t out_offset; /* the output's zero point */
  int32_t low, high;  /* clamping range */
} mcuc_conv2d_params;

/* Weights with a zero point, from uint8 models. */
typedef struct mcuc_conv2d_zero_params {
  mcuc_conv2d_params base; /* its bias has the zero points' constant part folded in */
  int32_t weights_zero;
} mcuc_conv2d_zero_params;

/* acc, a sum modulo 2^32 with the bias, as an element of output channel o. */
static inline int8_t mcuc_conv2d_finish(const mcuc_conv2d_params *p, uint32_t acc, int32_t o)
{
  int32_t y = mcuc_multiply_by_quantized_multiplier((int32_t)acc, p->multiplier[o], p->shift[o]);
  /* clamped before the offset is added, which may then not overflow */
  y = y < p->low - p->out_offset ? p->low - p->out_offset : y;
  y = y > p->high - p->out_offset ? p->high - p->out_offset : y;
  return (int8_t)(y + p->out_offset);
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

/* As mcuc_conv2d_dot with a constant x. */
static inline uint32_t mcuc_conv2d_constant(uint32_t acc, int32_t x, const int8_t *w, int32_t n)
{
  int32_t i;
  for (i = 0; i < n; ++i) {
    acc += (uint32_t)(x * w[i]);
  }
  return acc;
}

/* Accumulator of one output element, padding included. x_offset: bytes from the first column to the
 * element's first input channel; w: [kernel_h][kernel_w][group_in]. */
static inline uint32_t mcuc_conv2d_sum(const mcuc_conv2d_params *p, const mcuc_window_call *c,
                                       uint32_t acc, const int8_t *w, int32_t x_offset)
{
  const int32_t step = p->dilation_w * c->in_step;
  /* Columns that lie one after another in memory are one run. */
  const int32_t runs = step == p->group_in ? 1 : c->kernel_w;
  const int32_t run = step == p->group_in ? c->kernel_w * p->group_in : p->group_in;
  const int32_t before = c->left * p->group_in;
  const int32_t line = p->kernel_w * p->group_in;
  const int32_t after = line - before - c->kernel_w * p->group_in;
  int32_t i;
  for (i = 0; i < p->kernel_h; ++i) {
    const int32_t row = i - c->top;
    if (row < 0 || row >= c->kernel_h) {
      acc = mcuc_conv2d_constant(acc, p->in_zero, w, line);
      w += line;
    } else {
      const int8_t *x = (const int8_t *)c->rows[row] + x_offset;
      int32_t j;
      acc = mcuc_conv2d_constant(acc, p->in_zero, w, before);
      w += before;
      for (j = 0; j < runs; ++j) {
        acc = mcuc_conv2d_dot(acc, x, w, run);
        x += step;
        w += run;
      }
      acc = mcuc_conv2d_constant(acc, p->in_zero, w, after);
      w += after;
    }
  }
  return acc;
}

#endif
