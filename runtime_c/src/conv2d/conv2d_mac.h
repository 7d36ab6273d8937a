/* CONV_2D of int8 on cores without the DSP extension: the record, and what its kernels share. */
#ifndef MCUC_CONV2D_MAC_H
#define MCUC_CONV2D_MAC_H

#include "mcuc/mac.h"
#include "mcuc/program.h"

/* Filled by mcuc/ops/mac_convolution.py. */
typedef struct mcuc_conv2d_mac_params {
  const int8_t *weights; /* by tile [depth][3], then [depth][2], of mcuc/mac.h */
  const int32_t *scales; /* [out] mcuc_mac_scale, one more if the last tile is half full */
  const int8_t *padding; /* [kernel_w * in] what padding holds, the input's zero point */
  int32_t in, out;       /* channels */
  int32_t depth;         /* bytes of a window */
  int32_t triples;       /* tiles of three outputs; the others have two */
  int32_t kernel_h, kernel_w;
  int32_t stride_w, dilation_w;
  int32_t low, high; /* clamping range */
} mcuc_conv2d_mac_params;

/* Biases of `n` outputs as accumulators. */
static inline void mcuc_conv2d_mac_start(const mcuc_mac_scale *s, int32_t *acc, int32_t n)
{
  int32_t i;
  for (i = 0; i < n; ++i) {
    acc[i] = s[i].bias;
  }
}

/* All outputs of a pixel whose depth lies in one piece. */
__attribute__((noinline, unused)) static void mcuc_conv2d_mac_pixel(const mcuc_conv2d_mac_params *p,
                                                                    const int8_t *x, int8_t *y)
{
  const mcuc_mac_scale *s = (const mcuc_mac_scale *)(const void *)p->scales;
  const int8_t *w = p->weights;
  int8_t *const first = y;
  const int8_t *const end = y + p->out;
  int32_t acc[3];
  int32_t t;
  for (t = p->triples; t > 0; --t) {
    mcuc_conv2d_mac_start(s, acc, 3);
    w = mcuc_mac_1x3(x, w, p->depth, acc);
    y[0] = mcuc_mac_requantize(acc[0], &s[0]);
    y[1] = mcuc_mac_requantize(acc[1], &s[1]);
    y[2] = mcuc_mac_requantize(acc[2], &s[2]);
    s += 3;
    y += 3;
  }
  for (; y < end; y += 2) {
    mcuc_conv2d_mac_start(s, acc, 2);
    w = mcuc_mac_1x2(x, w, p->depth, acc);
    y[0] = mcuc_mac_requantize(acc[0], &s[0]);
    if (end - y > 1) {
      y[1] = mcuc_mac_requantize(acc[1], &s[1]);
    }
    s += 2;
  }
  mcuc_dsp_clamp(first, p->out, p->low, p->high);
}

/* Stores an output of two pixels. */
static inline void mcuc_conv2d_mac_store(const mcuc_mac_scale *s, int32_t acc0, int32_t acc1,
                                         int8_t *y, int32_t step)
{
  const mcuc_mac_scale scale = *s; /* once: stores might change it for all that C knows */
  const int8_t y0 = mcuc_mac_requantize(acc0, &scale);
  const int8_t y1 = mcuc_mac_requantize(acc1, &scale);
  y[0] = y0;
  y[step] = y1;
}

/* All outputs of two pixels whose depths lie in one piece each; the second's are `step` behind. */
__attribute__((noinline, unused)) static void mcuc_conv2d_mac_two_pixels(
    const mcuc_conv2d_mac_params *p, const int8_t *x0, const int8_t *x1, int8_t *y, int32_t step)
{
  const mcuc_mac_scale *s = (const mcuc_mac_scale *)(const void *)p->scales;
  const int8_t *w = p->weights;
  int8_t *const first = y;
  const int8_t *const end = y + p->out;
  int32_t acc0[3];
  int32_t acc1[3];
  int32_t t;
  for (t = p->triples; t > 0; --t) {
    mcuc_conv2d_mac_start(s, acc0, 3);
    mcuc_conv2d_mac_start(s, acc1, 3);
    w = mcuc_mac_2x3(x0, x1, w, p->depth, acc0, acc1);
    mcuc_conv2d_mac_store(&s[0], acc0[0], acc1[0], y, step);
    mcuc_conv2d_mac_store(&s[1], acc0[1], acc1[1], y + 1, step);
    mcuc_conv2d_mac_store(&s[2], acc0[2], acc1[2], y + 2, step);
    s += 3;
    y += 3;
  }
  for (; y < end; y += 2) {
    mcuc_conv2d_mac_start(s, acc0, 2);
    mcuc_conv2d_mac_start(s, acc1, 2);
    w = mcuc_mac_2x2(x0, x1, w, p->depth, acc0, acc1);
    mcuc_conv2d_mac_store(&s[0], acc0[0], acc1[0], y, step);
    if (end - y > 1) {
      mcuc_conv2d_mac_store(&s[1], acc0[1], acc1[1], y + 1, step);
    }
    s += 2;
  }
  mcuc_dsp_clamp(first, p->out, p->low, p->high);
  mcuc_dsp_clamp(first + step, p->out, p->low, p->high);
}

#endif
