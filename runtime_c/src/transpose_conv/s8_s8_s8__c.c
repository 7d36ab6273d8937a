/* TRANSPOSE_CONV, int8, portable C, rows form.
 *
 *   y[o] = finish(bias[o] + sum over the kernel elements (i, j) that meet an input pixel, and over
 * c, of (x[(y + top - i) / stride_h][(x + left - j) / stride_w][c] - in_zero) * w[o][i][j][c])
 *
 * src : rows of pixels of in_c int8      dst : n pixels of out_c int8; no scratch
 * The accumulator wraps as the reference's. Bit-exact to mcuc/ops/transpose_conv.py:ref.
 */
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "transpose_conv/transpose_conv.h"

static uint32_t mcuc_transpose_conv_dot(uint32_t acc, const int8_t *x, const int8_t *w, int32_t n,
                                        int32_t zero)
{
  int32_t i;
  for (i = 0; i < n; ++i) {
    acc += (uint32_t)(((int32_t)x[i] - zero) * w[i]);
  }
  return acc;
}

/* One output element: at is its column in the uncut output, weights those of its channel. */
static uint32_t mcuc_transpose_conv_sum(const mcuc_transpose_conv_params *p,
                                        const mcuc_rows_call *io, int32_t at, const int8_t *weights,
                                        uint32_t acc)
{
  const int32_t step = io->in[0].view.pixel_stride;
  const int32_t y = io->y + p->top;
  int32_t i, j;
  for (i = y % p->stride_h; i < p->kernel_h && i <= y; i += p->stride_h) {
    const int32_t row = (y - i) / p->stride_h;
    const int8_t *src;
    if (row >= p->in_h) {
      continue;
    }
    src = (const int8_t *)mcuc_source_row(io, 0, row);
    for (j = at % p->stride_w; j < p->kernel_w && j <= at; j += p->stride_w) {
      const int32_t column = (at - j) / p->stride_w;
      if (column < p->in_w) {
        const int8_t *w = weights + (i * p->kernel_w + j) * p->in_c;
        acc = mcuc_transpose_conv_dot(acc, src + column * step, w, p->in_c, p->in_zero);
      }
    }
  }
  return acc;
}

MCUC_FN void mcuc_transpose_conv_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_transpose_conv_params *p = (const mcuc_transpose_conv_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const int32_t filter = p->kernel_h * p->kernel_w * p->in_c;
  const int32_t low = p->low - p->out_offset;
  const int32_t high = p->high - p->out_offset;
  int8_t *dst = (int8_t *)io->dst;
  int32_t n, o;

  for (n = 0; n < io->n; ++n) {
    for (o = 0; o < p->out_c; ++o) {
      const uint32_t acc = mcuc_transpose_conv_sum(p, io, io->x + n + p->left,
                                                   p->weights + o * filter, (uint32_t)p->bias[o]);
      int32_t y =
          mcuc_multiply_by_quantized_multiplier((int32_t)acc, p->multiplier[o], p->shift[o]);
      y = y < low ? low : y;
      y = y > high ? high : y;
      dst[o] = (int8_t)(y + p->out_offset);
    }
    dst += io->dst_step;
  }
}
