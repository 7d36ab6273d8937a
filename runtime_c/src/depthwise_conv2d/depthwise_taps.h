/* DEPTHWISE_CONV_2D of int8 by taps: the record, and what the kernels share that compute blocks of
 * four channels from a list of pointers, one per tap. */
#ifndef MCUC_DEPTHWISE_TAPS_H
#define MCUC_DEPTHWISE_TAPS_H

#include "mcuc/dsp.h"
#include "mcuc/program.h"

/* Blocks of four channels: taps that the inner loop takes per turn. */
#define MCUC_DEPTHWISE_TURN 3
#define MCUC_DEPTHWISE_BLOCK 4

/* Filled by mcuc/ops/depthwise_taps.py. `stream` has for each block of four channels what the
 * kernel's blocks read: four biases, the weights of each tap, factors of each channel. Taps are
 * filled up with weights of 0. The last block ends with the last channel: it overlaps its neighbour
 * if channels are no multiple of 4. */
typedef struct mcuc_depthwise_taps_params {
  const int32_t *stream;
  const int8_t *padding; /* [channels] what padding holds, the input's zero point */
  const int32_t *rare;   /* [rares][4 + taps] channel, bias, multiplier, shift, weights: channels
                            with other shifts than to the right by 2 or more, computed again */
  int32_t rares;
  int32_t channels; /* at least 4 */
  int32_t taps;     /* filled up */
  int32_t kernel_h, kernel_w;
  int32_t stride_w, dilation_w;
  int32_t out_offset; /* the output's zero point */
  int32_t low, high;  /* clamping range */
} mcuc_depthwise_taps_params;

/* Where a tap of pixel 0 lies: its address on the device; elsewhere an offset from `base`, or the
 * smallest number for padding. */
#if defined(__arm__)
typedef const int8_t *mcuc_depthwise_tap;
#else
typedef int32_t mcuc_depthwise_tap;
#endif

/* What the inner block reads; the assembly knows the order. */
typedef struct mcuc_depthwise_block {
  const mcuc_depthwise_tap *taps;
  int32_t turns; /* of the inner loop over the taps */
  int8_t *y;     /* advances */
  int32_t out_offset;
  int32_t end; /* offset of the channel behind the last one */
  const int8_t *base, *padding;
} mcuc_depthwise_block;

/* Channel c (counted from pixel 0) under tap t. */
static inline const int8_t *mcuc_depthwise_at(const mcuc_depthwise_block *block, int32_t t,
                                              int32_t c)
{
#if defined(__arm__)
  return block->taps[t] + c;
#else
  return (block->taps[t] == INT32_MIN ? block->padding : block->base + block->taps[t]) + c;
#endif
}

static inline mcuc_depthwise_tap mcuc_depthwise_tap_at(const mcuc_depthwise_block *block,
                                                       const int8_t *x)
{
#if defined(__arm__)
  return x == 0 ? block->padding : x;
#else
  return x == 0 ? INT32_MIN : (int32_t)(x - block->base);
#endif
}

/* Computes blocks of four channels from offset c on, up to block->end; returns the stream that
 * follows. */
typedef const int32_t *(*mcuc_depthwise_blocks)(mcuc_depthwise_block *block, int32_t c,
                                                const int32_t *w);

/* Points taps at the pixels of the window that begins `start` bytes from the call's first. */
static inline void mcuc_depthwise_point(const mcuc_depthwise_taps_params *p,
                                        const mcuc_window_call *c,
                                        const mcuc_depthwise_block *block, int32_t start,
                                        mcuc_depthwise_tap *taps)
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
      taps[t++] = mcuc_depthwise_tap_at(block, inside ? x + column * step : 0);
    }
  }
  for (; t < p->taps; ++t) {
    taps[t] = taps[0]; /* with weights of 0 */
  }
}

/* The rare channels of a pixel. */
static inline void mcuc_depthwise_rare(const mcuc_depthwise_taps_params *p,
                                       const mcuc_depthwise_block *block, int32_t start, int8_t *y)
{
  const int32_t *r = p->rare;
  int32_t i;
  for (i = 0; i < p->rares; ++i) {
    uint32_t acc = (uint32_t)r[1];
    int32_t scaled;
    int32_t t;
    for (t = 0; t < p->taps; ++t) {
      acc += (uint32_t)(*mcuc_depthwise_at(block, t, start + r[0]) * r[4 + t]);
    }
    scaled = mcuc_multiply_by_quantized_multiplier((int32_t)acc, r[2], r[3]);
    y[r[0]] = (int8_t)mcuc_dsp_ssat8(mcuc_saturate_to_int32((int64_t)scaled + p->out_offset));
    r += 4 + p->taps;
  }
}

/* All channels of the pixel whose window begins `start` bytes from where the taps point, in blocks
 * of `size`. */
MCUC_INLINED void mcuc_depthwise_pixel(const mcuc_depthwise_taps_params *p,
                                       mcuc_depthwise_block *block, int32_t start, int8_t *y,
                                       mcuc_depthwise_blocks blocks, int32_t size)
{
  const int32_t even = p->channels / size * size;
  const int32_t *w;
  block->y = y;
  block->end = start + even;
  w = blocks(block, start, p->stream);
  if (even < p->channels) {
    block->y = y + p->channels - size;
    block->end = start + p->channels;
    (void)blocks(block, block->end - size, w);
  }
  if (p->rares > 0) {
    mcuc_depthwise_rare(p, block, start, y);
  }
  mcuc_dsp_clamp(y, p->channels, p->low, p->high);
}

/* All pixels of a call; blocks of `size` channels, `turn` taps at a time. */
MCUC_INLINED void mcuc_depthwise_run(const void *params, const void *call,
                                     mcuc_depthwise_blocks blocks, int32_t size, int32_t turn)
{
  const mcuc_depthwise_taps_params *p = (const mcuc_depthwise_taps_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  mcuc_depthwise_tap *taps = (mcuc_depthwise_tap *)c->scratch;
  /* Taps in the padding stay where they are while the others move from window to window. */
  const int32_t whole = c->kernel_h == p->kernel_h && c->kernel_w == p->kernel_w;
  mcuc_depthwise_block block;
  int8_t *y = (int8_t *)c->dst;
  int32_t start = 0; /* bytes from a row's first column to the window's */
  int32_t n;

  block.taps = taps;
  block.turns = p->taps / turn;
  block.out_offset = p->out_offset;
  block.base = c->kernel_h > 0 ? (const int8_t *)c->rows[0] : p->padding;
  block.padding = p->padding;
  for (n = 0; n < c->n; ++n) {
    if (n == 0 || !whole) {
      mcuc_depthwise_point(p, c, &block, start, taps);
    }
    mcuc_depthwise_pixel(p, &block, whole ? start : 0, y, blocks, size);
    start += p->stride_w * c->in_step;
    y += c->dst_step;
  }
}

#endif
