/* DEPTHWISE_CONV_2D of int8 on cores with the DSP extension: the record and the inner block. */
#ifndef MCUC_DEPTHWISE_DSP_H
#define MCUC_DEPTHWISE_DSP_H

#include "mcuc/dsp.h"
#include "mcuc/program.h"

/* Taps that the inner loop takes per turn. */
#define MCUC_DEPTHWISE_DSP_TAPS 3

/* Filled by mcuc/ops/depthwise_conv2d.py:pack_dsp. `stream` has for each block of four channels:
 * four biases; for each tap two words, weights of channels (0, 2) and (1, 3) as halves; for each
 * channel multiplier and power of mcuc_dsp_scale. Taps are filled up with weights of 0. The last
 * block ends with the last channel: it overlaps its neighbour if channels are no multiple of 4. */
typedef struct mcuc_depthwise_dsp_params {
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
} mcuc_depthwise_dsp_params;

/* Where a tap of pixel 0 lies: its address on the device; elsewhere an offset from `base`, or the
 * smallest number for padding. */
#if MCUC_DSP_ASM
typedef const int8_t *mcuc_depthwise_dsp_tap;
#else
typedef int32_t mcuc_depthwise_dsp_tap;
#endif

/* What the inner block reads; the assembly knows the order. */
typedef struct mcuc_depthwise_dsp_block {
  const mcuc_depthwise_dsp_tap *taps;
  int32_t turns; /* taps / MCUC_DEPTHWISE_DSP_TAPS */
  int8_t *y;     /* advances */
  int32_t out_offset;
  int32_t end; /* offset of the channel behind the last one */
  const int8_t *base, *padding;
} mcuc_depthwise_dsp_block;

/* Channel c (counted from pixel 0) under tap t. */
static inline const int8_t *mcuc_depthwise_dsp_at(const mcuc_depthwise_dsp_block *block, int32_t t,
                                                  int32_t c)
{
#if MCUC_DSP_ASM
  return block->taps[t] + c;
#else
  return (block->taps[t] == INT32_MIN ? block->padding : block->base + block->taps[t]) + c;
#endif
}

static inline mcuc_depthwise_dsp_tap mcuc_depthwise_dsp_tap_at(
    const mcuc_depthwise_dsp_block *block, const int8_t *x)
{
#if MCUC_DSP_ASM
  return x == 0 ? block->padding : x;
#else
  return x == 0 ? INT32_MIN : (int32_t)(x - block->base);
#endif
}

#define MCUC_DEPTHWISE_DSP_TAP          \
  "ldr %[a], [%[p]], #4\n\t"            \
  "ldr %[a], [%[a], %[c]]\n\t"          \
  "ldrd %[q], %[r], [%[w]], #8\n\t"     \
  "sxtb16 %[b], %[a]\n\t"               \
  "sxtb16 %[a], %[a], ror #8\n\t"       \
  "smlabb %[s0], %[b], %[q], %[s0]\n\t" \
  "smlatt %[s2], %[b], %[q], %[s2]\n\t" \
  "smlabb %[s1], %[a], %[r], %[s1]\n\t" \
  "smlatt %[s3], %[a], %[r], %[s3]\n\t"

/* mcuc_dsp_requantize */
#define MCUC_DEPTHWISE_DSP_STORE(s)   \
  "ldrd %[q], %[r], [%[w]], #8\n\t"   \
  "smmlar %[a], " s ", %[q], " s      \
  "\n\t"                              \
  "add %[a], %[a], %[a], asr #31\n\t" \
  "smmlar %[a], %[a], %[r], %[n]\n\t" \
  "ssat %[a], #8, %[a]\n\t"           \
  "strb %[a], [%[p]], #1\n\t"

/* Blocks of four channels from offset c on, up to block->end; returns the stream that follows. */
static inline const int32_t *mcuc_depthwise_dsp_blocks(mcuc_depthwise_dsp_block *block, int32_t c,
                                                       const int32_t *w)
{
#if MCUC_DSP_ASM
  uint32_t a, b, q, r, p, n, s0, s1, s2, s3;
  __asm__ volatile(
      "1:\n\t"
      "ldrd %[p], %[n], [%[block]]\n\t"
      "ldrd %[s0], %[s1], [%[w]], #8\n\t"
      "ldrd %[s2], %[s3], [%[w]], #8\n\t"
      "2:\n\t" MCUC_DEPTHWISE_DSP_TAP MCUC_DEPTHWISE_DSP_TAP MCUC_DEPTHWISE_DSP_TAP
      "subs %[n], %[n], #1\n\t"
      "bne 2b\n\t"
      "ldrd %[p], %[n], [%[block], #8]\n\t" MCUC_DEPTHWISE_DSP_STORE("%[s0]")
          MCUC_DEPTHWISE_DSP_STORE("%[s1]") MCUC_DEPTHWISE_DSP_STORE("%[s2]")
              MCUC_DEPTHWISE_DSP_STORE("%[s3]")
      "str %[p], [%[block], #8]\n\t"
      "ldr %[n], [%[block], #16]\n\t"
      "adds %[c], %[c], #4\n\t"
      "cmp %[c], %[n]\n\t"
      "bne 1b\n\t"
      : [c] "+r"(c), [w] "+r"(w), [a] "=&r"(a), [b] "=&r"(b), [q] "=&r"(q), [r] "=&r"(r),
        [p] "=&r"(p), [n] "=&r"(n), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3)
      : [block] "r"(block)
      : "cc", "memory");
#else
  for (; c != block->end; c += 4) {
    int32_t acc[4];
    int32_t i;
    memcpy(acc, w, sizeof acc);
    w += 4;
    for (i = 0; i < block->turns * MCUC_DEPTHWISE_DSP_TAPS; ++i) {
      const uint32_t x = mcuc_dsp_load(mcuc_depthwise_dsp_at(block, i, c));
      acc[0] = mcuc_dsp_smlabb(mcuc_dsp_sxtb16(x), (uint32_t)w[0], acc[0]);
      acc[2] = mcuc_dsp_smlatt(mcuc_dsp_sxtb16(x), (uint32_t)w[0], acc[2]);
      acc[1] = mcuc_dsp_smlabb(mcuc_dsp_sxtb16_ror8(x), (uint32_t)w[1], acc[1]);
      acc[3] = mcuc_dsp_smlatt(mcuc_dsp_sxtb16_ror8(x), (uint32_t)w[1], acc[3]);
      w += 2;
    }
    for (i = 0; i < 4; ++i) {
      const mcuc_dsp_scale scale = {0, w[0], w[1]};
      *block->y++ = mcuc_dsp_requantize(acc[i], &scale, block->out_offset);
      w += 2;
    }
  }
#endif
  return w;
}

#endif
