/* TRANSPOSE_CONV, float32, portable C, rows form.
 *
 *   y[o] = clamp((0 + sum over the kernel elements (i, j) that meet an input pixel, and over c, of
 *                 x[(y + top - i) / stride_h][(x + left - j) / stride_w][c] * w[o][i][j][c]) +
 * bias[o])
 *
 * src : rows of pixels of in_c f32      dst : n pixels of out_c f32; no scratch
 * The sum goes through the input's rows, columns and channels in ascending order. Bit-exact to
 * mcuc/ops/transpose_conv.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "transpose_conv/transpose_conv.h"

/* The largest kernel element below `kernel` that meets an input at `at`, counted uncut. */
static int32_t mcuc_transpose_conv_f32_last(int32_t at, int32_t kernel, int32_t stride)
{
  const int32_t first = at % stride;
  const int32_t most = kernel - 1 < at ? kernel - 1 : at;
  return most < first ? -1 : first + (most - first) / stride * stride;
}

/* One output element: at is its column in the uncut output, weights those of its channel. */
static float mcuc_transpose_conv_f32_sum(const mcuc_transpose_conv_f32_params *p,
                                         const mcuc_rows_call *io, int32_t at, const float *weights)
{
  const int32_t step = io->in[0].view.pixel_stride;
  const int32_t y = io->y + p->top;
  float acc = 0.0f;
  int32_t i, j, c;
  for (i = mcuc_transpose_conv_f32_last(y, p->kernel_h, p->stride_h); i >= 0; i -= p->stride_h) {
    const int32_t row = (y - i) / p->stride_h;
    const uint8_t *src;
    if (row >= p->in_h) {
      break;
    }
    src = mcuc_source_row(io, 0, row);
    for (j = mcuc_transpose_conv_f32_last(at, p->kernel_w, p->stride_w); j >= 0; j -= p->stride_w) {
      const int32_t column = (at - j) / p->stride_w;
      const float *x = (const float *)mcuc_at(src, column * step);
      const float *w = weights + (i * p->kernel_w + j) * p->in_c;
      if (column >= p->in_w) {
        break;
      }
      for (c = 0; c < p->in_c; ++c) {
        acc += x[c] * w[c];
      }
    }
  }
  return acc;
}

MCUC_FN void mcuc_transpose_conv_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_transpose_conv_f32_params *p = (const mcuc_transpose_conv_f32_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const int32_t filter = p->kernel_h * p->kernel_w * p->in_c;
  int32_t n, o;

  for (n = 0; n < io->n; ++n) {
    float *dst = (float *)mcuc_to(io->dst, n * io->dst_step);
    for (o = 0; o < p->out_c; ++o) {
      const int32_t at = io->x + n + p->left;
      const float sum = mcuc_transpose_conv_f32_sum(p, io, at, p->weights + o * filter);
      dst[o] = mcuc_clamp_f32(sum + p->bias[o], p->low, p->high);
    }
  }
}
