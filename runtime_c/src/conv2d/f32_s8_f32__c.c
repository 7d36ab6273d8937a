/* Convolution of float32 with int8 weights and any number of groups, portable C, whole form.
 *
 *   q = quantize(x)     y[o] = clamp(float(sum (q - zero) * w[o]) * scale * scales[o] + bias[o])
 *
 * src : [in_h][in_w][channels] f32     dst : [out_h][out_w][outputs] f32
 * scratch : in_h * in_w * channels bytes. Padding is left out. |sum| <= 2^16 * 255 * 128 < 2^31.
 * Bit-exact to mcuc/ops/hybrid_weights.py:conv2d.
 */
#include "conv2d/conv2d_hybrid.h"

/* Sum of output o at output pixel (y, x). */
static int32_t mcuc_conv2d_hybrid_sum(const mcuc_conv2d_hybrid_params *p, const int8_t *q,
                                      int32_t zero, int32_t y, int32_t x, int32_t o)
{
  const int32_t depth = p->channels / p->groups;
  const int8_t *w = p->weights + o * p->kernel_h * p->kernel_w * depth;
  int32_t sum = 0;
  int32_t i;
  q += o / (p->outputs / p->groups) * depth;
  for (i = 0; i < p->kernel_h; ++i) {
    const int32_t row = y * p->stride_h - p->pad_top + i * p->dilation_h;
    int32_t j;
    for (j = 0; j < p->kernel_w; ++j) {
      const int32_t column = x * p->stride_w - p->pad_left + j * p->dilation_w;
      if (row >= 0 && row < p->in_h && column >= 0 && column < p->in_w) {
        const int8_t *v = q + (row * p->in_w + column) * p->channels;
        int32_t k;
        for (k = 0; k < depth; ++k) {
          sum += (v[k] - zero) * w[k];
        }
      }
      w += depth;
    }
  }
  return sum;
}

MCUC_FN void mcuc_conv2d_f32_s8_f32__c(const void *params, const void *call)
{
  const mcuc_conv2d_hybrid_params *p = (const mcuc_conv2d_hybrid_params *)params;
  const mcuc_whole_call *c = (const mcuc_whole_call *)call;
  int8_t *q = (int8_t *)c->scratch;
  float *dst = (float *)c->dst;
  const mcuc_hybrid_scale found = mcuc_hybrid_quantize(
      (const float *)c->src[0], q, p->in_h * p->in_w * p->channels, p->per_channel);
  int32_t y;

  for (y = 0; y < p->out_h; ++y) {
    int32_t x;
    for (x = 0; x < p->out_w; ++x) {
      int32_t o;
      for (o = 0; o < p->outputs; ++o) {
        const float sum = (float)mcuc_conv2d_hybrid_sum(p, q, found.zero, y, x, o);
        const float real =
            p->per_channel ? sum * p->scales[o] * found.scale : sum * (p->scales[o] * found.scale);
        *dst++ = mcuc_clamp_f32(real + p->bias[o], p->low, p->high);
      }
    }
  }
}
