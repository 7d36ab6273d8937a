/* CONV_2D of int8 by Helium: the record, and what its kernels share. */
#ifndef MCUC_CONV2D_MVE_H
#define MCUC_CONV2D_MVE_H

#include "mcuc/mve.h"
#include "mcuc/program.h"

/* Filled by mcuc/ops/mve_convolution.py. `stream` has for each four outputs what
 * mcuc_mve_block_2x4 reads; missing outputs have weights of 0. */
typedef struct mcuc_conv2d_mve_params {
  const int32_t *stream;
  const int8_t *padding; /* [kernel_w * in] what padding holds, the input's zero point */
  int32_t in, out;       /* channels */
  int32_t vectors;       /* of a window */
  int32_t copied;        /* 1: windows are copied to scratch; 0: they are pixels of whole vectors */
  int32_t kernel_h, kernel_w;
  int32_t stride_w, dilation_w;
  mcuc_mve_finish finish;
} mcuc_conv2d_mve_params;

/* All outputs of two windows, or of one that comes twice. */
MCUC_INLINED void mcuc_conv2d_mve_two(const mcuc_conv2d_mve_params *p, const int8_t *x0,
                                      const int8_t *x1, int8_t *y0, int8_t *y1)
{
  const mcuc_mve_finish finish = p->finish;
  const int8_t *w = (const int8_t *)(const void *)p->stream;
  const int32_t o = p->out & ~3;
  if (o > 0) {
    w = mcuc_mve_block_2x4(x0, x1, w, p->vectors, y0, y1, o >> 2, &finish);
  }
  if (o < p->out) {
    (void)mcuc_mve_block_1x4(x0, w, p->vectors, y0 + o, p->out - o, &finish);
    if (y1 != y0) {
      (void)mcuc_mve_block_1x4(x1, w, p->vectors, y1 + o, p->out - o, &finish);
    }
  }
}

#endif
