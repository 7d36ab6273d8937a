/* 1x1 convolution of int16 with stride 1 and without padding, portable C, pixel form.
 *
 *   y[n][o] = finish(bias[o] + sum_c x[n][c] * w[o][c])
 *
 * src : [n][group_in] s16     dst : [n][group_out] s16     groups = 1; no scratch.
 * |acc| < 2^47. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_s16.h"

MCUC_FN void mcuc_conv2d_s16_s8_s16_1x1__c(const void *params, const void *call)
{
  const mcuc_conv2d_s16_params *p = (const mcuc_conv2d_s16_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const int16_t *x = (const int16_t *)mcuc_at(c->src[0], n * c->src_step[0]);
    int16_t *y = (int16_t *)mcuc_to(c->dst, n * c->dst_step);
    const int8_t *w = p->weights;
    int32_t o;
    for (o = 0; o < p->group_out; o += MCUC_DOT_S16) {
      const int32_t rest = p->group_out - o;
      const int32_t rows = rest < MCUC_DOT_S16 ? rest : MCUC_DOT_S16;
      int64_t acc[MCUC_DOT_S16] = {0, 0, 0, 0};
      int32_t k;
      mcuc_dot_s16(acc, x, w, p->group_in, rows, p->group_in);
      for (k = 0; k < rows; ++k) {
        y[o + k] = mcuc_conv2d_s16_finish(p, acc[k] + p->bias[o + k], o + k);
      }
      w += rows * p->group_in;
    }
  }
}
