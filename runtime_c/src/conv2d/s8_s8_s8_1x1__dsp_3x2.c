/* 1x1 convolution with stride 1 and without padding, DSP extension, pixel form.
 *
 *   y[n][o] = finish(bias[o] + sum_c x[n][c] * w[o][c])
 *
 * src : [n][in] s8     dst : [n][out] s8     `in` is a multiple of 4
 * scratch : three widened pixels (mcuc/dsp_wide.h).
 * Blocks of three pixels by two outputs. All of a block is read before it is written, so that the
 * output may lie over pixels that have been read. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_dsp.h"

MCUC_FN void mcuc_conv2d_s8_s8_s8_1x1__dsp_3x2(const void *params, const void *call)
{
  const mcuc_conv2d_dsp_params *p = (const mcuc_conv2d_dsp_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  uint32_t *wide = (uint32_t *)c->scratch;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  const int32_t x_step = c->src_step[0];
  int32_t n;

  for (n = c->n; n >= 3; n -= 3) {
    (void)mcuc_wide_fill(wide, x, x + x_step, x + 2 * x_step, p->words);
    mcuc_conv2d_dsp_three_pixels(p, wide, y, c->dst_step);
    x += 3 * x_step;
    y += 3 * c->dst_step;
  }
  for (; n > 0; --n) {
    mcuc_conv2d_dsp_pixel(p, x, y);
    x += x_step;
    y += c->dst_step;
  }
}
