/* Depthwise convolution with channel multiplier 1, DSP extension, window form.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][channels] s8     channels >= 4
 * scratch : a word per tap. Taps in the padding point at a constant pixel, so that all windows
 * are computed alike. Blocks of one pixel by four channels. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_taps.h"

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

/* Per tap two words: weights of channels (0, 2) and (1, 3) as halves; then multiplier and power of
 * mcuc_dsp_scale for each channel. */
static const int32_t *mcuc_depthwise_dsp_blocks(mcuc_depthwise_block *block, int32_t c,
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
    for (i = 0; i < block->turns * MCUC_DEPTHWISE_TURN; ++i) {
      const uint32_t x = mcuc_dsp_load(mcuc_depthwise_at(block, i, c));
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

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8__dsp_1x4(const void *params, const void *call)
{
  mcuc_depthwise_run(params, call, mcuc_depthwise_dsp_blocks, MCUC_DEPTHWISE_BLOCK,
                     MCUC_DEPTHWISE_TURN);
}
