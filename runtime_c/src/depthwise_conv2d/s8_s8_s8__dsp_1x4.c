/* Depthwise convolution with channel multiplier 1, DSP extension, window form.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][channels] s8     channels >= 4
 * scratch : a word per tap. Taps in the padding point at a constant pixel, so that all windows
 * are computed alike. Blocks of one pixel by four channels. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_dsp.h"

/* Points taps at the pixels of the window that begins `start` bytes from the call's first. */
static void mcuc_depthwise_dsp_point(const mcuc_depthwise_dsp_params *p, const mcuc_window_call *c,
                                     const mcuc_depthwise_dsp_block *block, int32_t start,
                                     mcuc_depthwise_dsp_tap *taps)
{
  const int32_t step = p->dilation_w * c->in_step;
  int32_t t = 0;
  int32_t i;
  for (i = 0; i < p->kernel_h; ++i) {
    const int32_t row = i - c->top;
    const int8_t *x = row >= 0 && row < c->kernel_h ? (const int8_t *)c->rows[row] + start : 0;
    int32_t column;
    for (column = -c->left; column < p->kernel_w - c->left; ++column) {
      const int32_t inside = x != 0 && column >= 0 && column < c->kernel_w;
      taps[t++] = mcuc_depthwise_dsp_tap_at(block, inside ? x + column * step : 0);
    }
  }
  for (; t < p->taps; ++t) {
    taps[t] = taps[0]; /* with weights of 0 */
  }
}

/* The rare channels of a pixel. */
static void mcuc_depthwise_dsp_rare(const mcuc_depthwise_dsp_params *p,
                                    const mcuc_depthwise_dsp_block *block, int32_t start, int8_t *y)
{
  const int32_t *r = p->rare;
  int32_t i;
  for (i = 0; i < p->rares; ++i) {
    uint32_t acc = (uint32_t)r[1];
    int32_t scaled;
    int32_t t;
    for (t = 0; t < p->taps; ++t) {
      acc += (uint32_t)(*mcuc_depthwise_dsp_at(block, t, start + r[0]) * r[4 + t]);
    }
    scaled = mcuc_multiply_by_quantized_multiplier((int32_t)acc, r[2], r[3]);
    y[r[0]] = (int8_t)mcuc_dsp_ssat8(mcuc_saturate_to_int32((int64_t)scaled + p->out_offset));
    r += 4 + p->taps;
  }
}

/* All channels of the pixel whose window begins `start` bytes from where the taps point. */
static void mcuc_depthwise_dsp_pixel(const mcuc_depthwise_dsp_params *p,
                                     mcuc_depthwise_dsp_block *block, int32_t start, int8_t *y)
{
  const int32_t even = p->channels & ~3;
  const int32_t *w;
  block->y = y;
  block->end = start + even;
  w = mcuc_depthwise_dsp_blocks(block, start, p->stream);
  if (even < p->channels) {
    block->y = y + p->channels - 4;
    block->end = start + p->channels;
    (void)mcuc_depthwise_dsp_blocks(block, block->end - 4, w);
  }
  if (p->rares > 0) {
    mcuc_depthwise_dsp_rare(p, block, start, y);
  }
  mcuc_dsp_clamp(y, p->channels, p->low, p->high);
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8__dsp_1x4(const void *params, const void *call)
{
  const mcuc_depthwise_dsp_params *p = (const mcuc_depthwise_dsp_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  mcuc_depthwise_dsp_tap *taps = (mcuc_depthwise_dsp_tap *)c->scratch;
  /* Taps in the padding stay where they are while the others move from window to window. */
  const int32_t whole = c->kernel_h == p->kernel_h && c->kernel_w == p->kernel_w;
  mcuc_depthwise_dsp_block block;
  int8_t *y = (int8_t *)c->dst;
  int32_t start = 0; /* bytes from a row's first column to the window's */
  int32_t n;

  block.taps = taps;
  block.turns = p->taps / MCUC_DEPTHWISE_DSP_TAPS;
  block.out_offset = p->out_offset;
  block.base = c->kernel_h > 0 ? (const int8_t *)c->rows[0] : p->padding;
  block.padding = p->padding;
  for (n = 0; n < c->n; ++n) {
    if (n == 0 || !whole) {
      mcuc_depthwise_dsp_point(p, c, &block, start, taps);
    }
    mcuc_depthwise_dsp_pixel(p, &block, whole ? start : 0, y);
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}
