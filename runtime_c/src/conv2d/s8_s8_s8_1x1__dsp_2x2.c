/* 1x1 convolution with stride 1 and without padding, DSP extension, pixel form.
 *
 *   y[n][o] = finish(bias[o] + sum_c x[n][c] * w[o][c])
 *
 * src : [n][in] s8     dst : [n][out] s8
 * scratch : two pixels of whole words, where `in` is no multiple of 4; else none.
 * Blocks of two pixels by two outputs. A block may stand in two rows of the map, and the rows that
 * have been read may be written over: where pixel n + 1 of the output lies on pixel n of the input,
 * pixels go one by one. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_dsp.h"

/* Where the bytes of a pixel are read: in place, or in a slot of scratch with whole words. */
static const int8_t *mcuc_conv2d_1x1_dsp_words(const mcuc_conv2d_dsp_params *p, const int8_t *x,
                                               const mcuc_pixel_call *c, int32_t slot)
{
  if (p->gathered) {
    int8_t *copy = (int8_t *)c->scratch + slot * p->words * 4;
    mcuc_dsp_copy(copy, x, p->in);
    return copy;
  }
  return x;
}

MCUC_FN void mcuc_conv2d_s8_s8_s8_1x1__dsp_2x2(const void *params, const void *call)
{
  const mcuc_conv2d_dsp_params *p = (const mcuc_conv2d_dsp_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  const int32_t x_step = c->src_step[0];
  int32_t n = c->n;

  while (n > 0) {
    const int8_t *x0 = mcuc_conv2d_1x1_dsp_words(p, x, c, 0);
    const uintptr_t next = (uintptr_t)(y + c->dst_step);
    if (n > 1 &&
        (next + (uintptr_t)p->out <= (uintptr_t)x || next >= (uintptr_t)x + (uintptr_t)p->in)) {
      const int8_t *x1 = mcuc_conv2d_1x1_dsp_words(p, x + x_step, c, 1);
      mcuc_conv2d_dsp_two_pixels(p, x0, x1, y, y + c->dst_step);
      x += 2 * x_step;
      y += 2 * c->dst_step;
      n -= 2;
    } else {
      mcuc_conv2d_dsp_pixel(p, x0, y);
      x += x_step;
      y += c->dst_step;
      n -= 1;
    }
  }
}
