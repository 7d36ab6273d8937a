/* TRANSPOSE_CONV, int16 with int8 weights, portable C, rows form.
 *
 *   y[o] = finish(bias[o] + sum over the kernel elements (i, j) that meet an input pixel, and over
 *                 c, of x[(y + top - i) / stride_h][(x + left - j) / stride_w][c] * w[o][i][j][c])
 *
 * src : rows of pixels of in_c int16      dst : n pixels of out_c int16; no scratch
 * |acc| < 2^47. Bit-exact to mcuc/ops/transpose_conv.py:ref.
 */
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "transpose_conv/transpose_conv.h"

/* One output element: at is its column in the uncut output, weights those of its channel. */
static int64_t mcuc_transpose_conv_s16_sum(const mcuc_transpose_conv_s16_params *p,
                                           const mcuc_rows_call *io, int32_t at,
                                           const int8_t *weights, int64_t acc)
{
  const int32_t step = io->in[0].view.pixel_stride;
  const int32_t y = io->y + p->top;
  int32_t i, j, c;
  for (i = y % p->stride_h; i < p->kernel_h && i <= y; i += p->stride_h) {
    const int32_t row = (y - i) / p->stride_h;
    const uint8_t *src;
    if (row >= p->in_h) {
      continue;
    }
    src = mcuc_source_row(io, 0, row);
    for (j = at % p->stride_w; j < p->kernel_w && j <= at; j += p->stride_w) {
      const int32_t column = (at - j) / p->stride_w;
      if (column < p->in_w) {
        const int16_t *x = (const int16_t *)mcuc_at(src, column * step);
        const int8_t *w = weights + (i * p->kernel_w + j) * p->in_c;
        for (c = 0; c < p->in_c; ++c) {
          acc += x[c] * w[c];
        }
      }
    }
  }
  return acc;
}

MCUC_FN void mcuc_transpose_conv_s16_s8_s16__c(const void *params, const void *call)
{
  const mcuc_transpose_conv_s16_params *p = (const mcuc_transpose_conv_s16_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const int32_t filter = p->kernel_h * p->kernel_w * p->in_c;
  int32_t n, o;

  for (n = 0; n < io->n; ++n) {
    int16_t *dst = (int16_t *)mcuc_to(io->dst, n * io->dst_step);
    for (o = 0; o < p->out_c; ++o) {
      const int64_t acc = mcuc_transpose_conv_s16_sum(p, io, io->x + n + p->left,
                                                      p->weights + o * filter, p->bias[o]);
      int32_t y = mcuc_multiply_long_by_reduced(acc, p->multiplier[o], p->right[o]);
      y = y < p->low ? p->low : y;
      dst[o] = (int16_t)(y > p->high ? p->high : y);
    }
  }
}
