/* 1x1 convolution with stride 1 and without padding, multiply-accumulate, pixel form.
 *
 *   y[n][o] = finish(bias[o] + sum_c x[n][c] * w[o][c])
 *
 * src : [n][in] s8     dst : [n][out] s8     no scratch.
 * Blocks of two pixels by three outputs. A block may stand in two rows of the map, and the rows
 * that have been read may be written over: where pixel n + 1 of the output lies on pixel n of the
 * input, pixels go one by one. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_mac.h"

MCUC_FN void mcuc_conv2d_s8_s8_s8_1x1__c_2x3(const void *params, const void *call)
{
  const mcuc_conv2d_mac_params *p = (const mcuc_conv2d_mac_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  const int32_t x_step = c->src_step[0];
  int32_t n = c->n;

  while (n > 0) {
    const uintptr_t next = (uintptr_t)(y + c->dst_step);
    if (n > 1 &&
        (next + (uintptr_t)p->out <= (uintptr_t)x || next >= (uintptr_t)x + (uintptr_t)p->in)) {
      mcuc_conv2d_mac_two_pixels(p, x, x + x_step, y, c->dst_step);
      x += 2 * x_step;
      y += 2 * c->dst_step;
      n -= 2;
    } else {
      mcuc_conv2d_mac_pixel(p, x, y);
      x += x_step;
      y += c->dst_step;
      n -= 1;
    }
  }
}
