/* Depthwise convolution with channel multiplier 1, multiply-accumulate, window form.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][channels] s8     channels >= 4
 * scratch : a word per tap. Taps in the padding point at a constant pixel, so that all windows
 * are computed alike. Blocks of one pixel by four channels. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_taps.h"
#include "mcuc/mac.h"

#define MCUC_DEPTHWISE_MAC_CHANNEL(s, x) \
  "ldrsb %[a], " x                       \
  "\n\t"                                 \
  "ldrsb %[b], [%[w]], #1\n\t"           \
  "mla " s ", %[a], %[b], " s "\n\t"

#define MCUC_DEPTHWISE_MAC_TAP                                             \
  "ldr %[q], [%[p]], #4\n\t"                                               \
  "add %[q], %[q], %[c]\n\t" MCUC_DEPTHWISE_MAC_CHANNEL("%[s0]", "[%[q]]") \
      MCUC_DEPTHWISE_MAC_CHANNEL("%[s1]", "[%[q], #1]")                    \
          MCUC_DEPTHWISE_MAC_CHANNEL("%[s2]", "[%[q], #2]")                \
              MCUC_DEPTHWISE_MAC_CHANNEL("%[s3]", "[%[q], #3]")

/* mcuc_mac_requantize */
#define MCUC_DEPTHWISE_MAC_STORE(s, to) \
  "ldr %[b], [%[w]], #12\n\t"           \
  "mov %[a], #0x80000000\n\t"           \
  "smlal %[a], " s ", " s               \
  ", %[b]\n\t"                          \
  "ldrd %[a], %[b], [%[w], #-8]\n\t"    \
  "add " s ", " s ", " s                \
  ", asr #31\n\t"                       \
  "add " s                              \
  ", %[a]\n\t"                          \
  "asr " s ", " s                       \
  ", %[b]\n\t"                          \
  "ssat " s ", #8, " s                  \
  "\n\t"                                \
  "strb " s ", [%[p], #" to "]\n\t"

/* Per tap a word, weights of four channels; then multiplier, constant and right of mcuc_mac_scale
 * for each channel. */
static const int32_t *mcuc_depthwise_mac_blocks(mcuc_depthwise_block *block, int32_t c,
                                                const int32_t *w)
{
#if MCUC_MAC_ASM
  uint32_t a, b, q, p, n, s0, s1, s2, s3;
  __asm__ volatile(
      "1:\n\t"
      "ldrd %[p], %[n], [%[block]]\n\t"
      "ldrd %[s0], %[s1], [%[w]], #8\n\t"
      "ldrd %[s2], %[s3], [%[w]], #8\n\t"
      "2:\n\t" MCUC_DEPTHWISE_MAC_TAP MCUC_DEPTHWISE_MAC_TAP MCUC_DEPTHWISE_MAC_TAP
      "subs %[n], %[n], #1\n\t"
      "bne 2b\n\t"
      "ldr %[p], [%[block], #8]\n\t" MCUC_DEPTHWISE_MAC_STORE("%[s0]", "0")
          MCUC_DEPTHWISE_MAC_STORE("%[s1]", "1") MCUC_DEPTHWISE_MAC_STORE("%[s2]", "2")
              MCUC_DEPTHWISE_MAC_STORE("%[s3]", "3")
      "adds %[p], %[p], #4\n\t"
      "str %[p], [%[block], #8]\n\t"
      "ldr %[n], [%[block], #16]\n\t"
      "adds %[c], %[c], #4\n\t"
      "cmp %[c], %[n]\n\t"
      "bne 1b\n\t"
      : [c] "+r"(c), [w] "+r"(w), [a] "=&r"(a), [b] "=&r"(b), [q] "=&r"(q), [p] "=&r"(p),
        [n] "=&r"(n), [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3)
      : [block] "r"(block)
      : "cc", "memory");
#else
  for (; c != block->end; c += 4) {
    int32_t a0 = w[0], a1 = w[1], a2 = w[2], a3 = w[3];
    int32_t i;
    w += 4;
    for (i = 0; i < block->turns * MCUC_DEPTHWISE_TURN; ++i) {
      const int8_t *x = mcuc_depthwise_at(block, i, c);
      const int8_t *v = (const int8_t *)(const void *)w;
      a0 += x[0] * v[0];
      a1 += x[1] * v[1];
      a2 += x[2] * v[2];
      a3 += x[3] * v[3];
      w += 1;
    }
    {
      const int32_t acc[4] = {a0, a1, a2, a3};
      for (i = 0; i < 4; ++i) {
        const mcuc_mac_scale scale = {0, w[0], w[1], w[2]};
        *block->y++ = mcuc_mac_requantize(acc[i], &scale);
        w += 3;
      }
    }
  }
#endif
  return w;
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8__c_1x4(const void *params, const void *call)
{
  mcuc_depthwise_run(params, call, mcuc_depthwise_mac_blocks, MCUC_DEPTHWISE_BLOCK,
                     MCUC_DEPTHWISE_TURN);
}
