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
    for (o = 0; o < p->group_out; ++o) {
      const float sum = mcuc_conv2d_f32_dot(0.0f, x, w, p->group_in);
      y[o] = mcuc_clamp_f32(sum + p->bias[o], p->low, p->high);
      w += p->group_in;
    }
  }
}
