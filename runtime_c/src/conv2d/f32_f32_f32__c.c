/* Convolution of float32 with any number of groups, portable C, window form.
 *
 *   y[n][g * group_out + o] = clamp((0 + sum over the window and the channels of group g) + bias)
 *
 * rows : kernel_h rows of f32 pixels     dst : [n][groups * group_out] f32     no scratch.
 * The sum goes through rows, columns and channels in ascending order and leaves padding out.
 * Bit-exact to mcuc/ops/float_weights.py:conv2d.
 */
#include "conv2d/conv2d_f32.h"

/* Sums of `rows` output elements. offset: bytes from a row's first column to their first channel;
 * w: [rows][kernel_h][kernel_w][group_in]. */
static void mcuc_conv2d_f32_sums(const mcuc_conv2d_f32_params *p, const mcuc_window_call *c,
                                 float *acc, const float *w, int32_t offset, int32_t rows)
{
  const int32_t filter = p->kernel_h * p->kernel_w * p->group_in;
  const int32_t step = p->dilation_w * c->in_step;
  /* Columns that lie one after another in memory are one run. */
  const int32_t dense = step == p->group_in * (int32_t)sizeof(float);
  const int32_t runs = dense ? 1 : c->kernel_w;
  const int32_t run = dense ? c->kernel_w * p->group_in : p->group_in;
  int32_t i;
  for (i = 0; i < c->kernel_h; ++i) {
    const float *taps = w + ((c->top + i) * p->kernel_w + c->left) * p->group_in;
    int32_t at = offset;
    int32_t j;
    for (j = 0; j < runs; ++j) {
      mcuc_dot_f32(acc, (const float *)mcuc_at(c->rows[i], at), taps, filter, rows, run);
      at += step;
      taps += run;
    }
  }
}

MCUC_FN void mcuc_conv2d_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_conv2d_f32_params *p = (const mcuc_conv2d_f32_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t filter = p->kernel_h * p->kernel_w * p->group_in;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    float *y = (float *)mcuc_to(c->dst, n * c->dst_step);
    int32_t offset = n * p->stride_w * c->in_step;
    const float *w = p->weights;
    int32_t o = 0;
    int32_t g;
    for (g = 0; g < p->groups; ++g) {
      const int32_t end = o + p->group_out;
      while (o < end) {
        const int32_t rows = end - o < MCUC_DOT_F32 ? end - o : MCUC_DOT_F32;
        float acc[MCUC_DOT_F32] = {0.0f, 0.0f, 0.0f, 0.0f};
        mcuc_conv2d_f32_sums(p, c, acc, w, offset, rows);
        mcuc_conv2d_f32_finish(p, acc, y, o, rows);
        w += rows * filter;
        o += rows;
      }
      offset += p->group_in * (int32_t)sizeof(float);
    }
  }
}
