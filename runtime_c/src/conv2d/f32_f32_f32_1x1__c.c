/* 1x1 convolution of float32 with stride 1 and without padding, portable C, pixel form.
 *
 *   y[n][o] = clamp((0 + sum_c x[n][c] * w[o][c]) + bias[o]), c in ascending order
 *
 * src : [n][group_in] f32     dst : [n][group_out] f32     groups = 1; no scratch.
 * Bit-exact to mcuc/ops/float_weights.py:conv2d.
 */
#include "conv2d/conv2d_f32.h"

MCUC_FN void mcuc_conv2d_f32_f32_f32_1x1__c(const void *params, const void *call)
{
  const mcuc_conv2d_f32_params *p = (const mcuc_conv2d_f32_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const float *x = (const float *)mcuc_at(c->src[0], n * c->src_step[0]);
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    const float *w = p->weights;
    int32_t o;
    for (o = 0; o < p->group_out; o += MCUC_DOT_F32) {
      const int32_t rest = p->group_out - o;
      const int32_t rows = rest < MCUC_DOT_F32 ? rest : MCUC_DOT_F32;
      float acc[MCUC_DOT_F32] = {0.0f, 0.0f, 0.0f, 0.0f};
      mcuc_dot_f32(acc, x, w, p->group_in, rows, p->group_in);
      mcuc_conv2d_f32_finish(p, acc, y, o, rows);
      w += rows * p->group_in;
    }
  }
}
