/* CONV_2D of int8 by Helium: the record, and what its kernels share. */
#ifndef MCUC_CONV2D_MVE_H
#define MCUC_CONV2D_MVE_H

#include "mcuc/mve_block.h"
#include "mcuc/program.h"

/* Filled by mcuc/ops/mve_convolution.py. `stream` has for each four outputs what
 * mcuc_mve_run says; missing outputs have weights of 0. */
typedef struct mcuc_conv2d_mve_params {
  const int32_t *stream;
  const int8_t *padding; /* [kernel_w * in] what padding holds, the input's zero point */
  int32_t in, out;       /* channels */
  int32_t vectors;       /* of a window */
  int32_t windows;       /* that scratch holds */
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

/* Outputs from `first` on of n windows, each by itself. */
static inline void mcuc_conv2d_mve_singles(const mcuc_conv2d_mve_params *p, const int8_t *x,
                                           int32_t x_step, int8_t *y, int32_t y_step, int32_t n,
                                           int32_t first)
{
  const mcuc_mve_finish finish = p->finish;
  const int32_t size = 2 * (2 * p->vectors * MCUC_MVE_BYTES + mcuc_mve_count_bytes(p->vectors)) +
                       MCUC_MVE_FOURS_BYTES;
  for (; n > 0; --n) {
    const int8_t *w = (const int8_t *)(const void *)p->stream + (first >> 2) * size;
    int32_t o;
    for (o = first; o < p->out; o += 4) {
      w = mcuc_mve_block_1x4(x, w, p->vectors, y + o, p->out - o < 4 ? p->out - o : 4, &finish);
    }
    x += x_step;
    y += y_step;
  }
}

/* All outputs of n > 0 windows, in threes; if two are left, the last one comes twice. */
MCUC_INLINED void mcuc_conv2d_mve_windows(const mcuc_conv2d_mve_params *p,
                                          const mcuc_conv2d_mve_row *row)
{
  const mcuc_mve_finish finish = p->finish;
  const int32_t four = p->out & ~3;
  int32_t n = 0, i;
  while (n < row->n) {
    const int32_t left = row->n - n;
    const int8_t *const x = row->x + n * row->x_step;
    int8_t *const y = row->y + n * row->y_step;
    int32_t some = left < 3 ? left : four == p->out ? left / 3 * 3 : 3;
    if (some == 1 || four == 0) {
      mcuc_conv2d_mve_singles(p, x, row->x_step, y, row->y_step, some, 0);
    } else {
      const int32_t third = left > 2 ? 2 : 1;
      mcuc_mve_run run;
      run.stream = p->stream;
      run.x_advance = 3 * row->x_step;
      run.y_advance = 3 * row->y_step - four;
      run.y_step = row->y_step;
      run.threes = left > 2 ? some / 3 : 1;
      run.vectors = p->vectors;
      run.x0 = x;
      run.x1 = x + row->x_step;
      run.x2 = x + third * row->x_step;
      run.y0 = y;
      run.y2 = y + third * row->y_step;
      if (four < p->out) { /* before their pixels may be written over */
        mcuc_conv2d_mve_singles(p, x, row->x_step, y, row->y_step, some, four);
      }
      mcuc_mve_threes(&run, &finish);
      if (p->finish.low > -128 || p->finish.high < 127) {
        for (i = 0; i < some; ++i) {
          mcuc_dsp_clamp(y + i * row->y_step, four, p->finish.low, p->finish.high);
        }
      }
    }
    n += some;
  }
}

#endif
