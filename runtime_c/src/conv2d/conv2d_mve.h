/* CONV_2D of int8 by Helium: the record, and what its kernels share. */
#ifndef MCUC_CONV2D_MVE_H
#define MCUC_CONV2D_MVE_H

#include "mcuc/mve_block.h"
#include "mcuc/program.h"

/* Filled by mcuc/ops/mve_convolution.py. `stream` has for each four outputs what
 * mcuc_mve_block_2x4 reads; missing outputs have weights of 0. */
typedef struct mcuc_conv2d_mve_params {
  const int32_t *stream;
  const int8_t *padding; /* [kernel_w * in] what padding holds, the input's zero point */
  int32_t in, out;       /* channels */
  int32_t vectors;       /* of a window */
  int32_t windows;       /* that scratch holds; even */
  int32_t copied;        /* 1: windows are copied to scratch; 0: they are pixels of whole vectors */
  int32_t kernel_h, kernel_w;
  int32_t stride_w, dilation_w;
  mcuc_mve_finish finish;
} mcuc_conv2d_mve_params;

/* Windows of a call, behind each other or where they lie, and their outputs. */
typedef struct mcuc_conv2d_mve_row {
  const int8_t *x;
  int32_t x_step;
  int8_t *y;
  int32_t y_step;
  int32_t n;
} mcuc_conv2d_mve_row;

/* All outputs of n > 0 windows, in pairs; of an odd number the last one comes twice. */
MCUC_INLINED void mcuc_conv2d_mve_windows(const mcuc_conv2d_mve_params *p,
                                          const mcuc_conv2d_mve_row *row)
{
  const mcuc_mve_finish finish = p->finish;
  const int32_t four = p->out & ~3, rest = p->out - four;
  const int8_t *const tail = (const int8_t *)(const void *)p->stream +
                             (four >> 2) * (p->vectors * 4 * MCUC_MVE_BYTES + MCUC_MVE_SCALE_BYTES);
  int32_t n = 0;
  while (n < row->n) {
    const int32_t two = n + 1 < row->n ? 1 : 0;
    mcuc_mve_run run;
    run.stream = p->stream;
    run.turns = four >> 2;
    run.x_advance = 2 * row->x_step;
    run.y_advance = 2 * row->y_step - four;
    run.pairs = two && rest == 0 ? (row->n - n) >> 1 : 1;
    run.vectors = p->vectors;
    run.x0 = row->x + n * row->x_step;
    run.x1 = run.x0 + two * row->x_step;
    run.y0 = row->y + n * row->y_step;
    run.y1 = run.y0 + two * row->y_step;
    n += 2 * run.pairs;
    if (rest > 0) {
      (void)mcuc_mve_block_1x4(run.x0, tail, p->vectors, run.y0 + four, rest, &finish);
      if (two) {
        (void)mcuc_mve_block_1x4(run.x1, tail, p->vectors, run.y1 + four, rest, &finish);
      }
    }
    if (four > 0) {
      mcuc_mve_pairs(&run, &finish);
    }
  }
}

#endif
