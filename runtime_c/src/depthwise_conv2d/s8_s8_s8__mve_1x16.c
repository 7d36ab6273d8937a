/* Depthwise convolution with channel multiplier 1, Helium, window form.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride_w + j * dilation_w][c] * w[i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][channels] s8     channels >= 16
 * scratch : a word per tap. Taps in the padding point at a constant pixel, so that all windows are
 * computed alike. Blocks of one pixel by sixteen channels, two taps at a time: the products of two
 * weights from -127 to 127 are an int16. Bit-exact to mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_taps.h"
#include "mcuc/mve_end.h"

#define MCUC_DEPTHWISE_MVE_BLOCK 16
#define MCUC_DEPTHWISE_MVE_TURN 2

#if MCUC_MVE

/* The end of four channels in a vector: multiplier, constant and left follow in the stream. */
#define MCUC_DEPTHWISE_MVE_END(v) \
  "vldrw.32 q0, [r2], #16\n\t"    \
  "vldrw.32 q1, [r2], #16\n\t"    \
  "vldrw.32 q2, [r2], #16\n\t"    \
  "vqrdmulh.s32 " v ", " v        \
  ", q0\n\t"                      \
  "vshr.s32 q3, " v               \
  ", #31\n\t"                     \
  "vadd.i32 " v ", " v            \
  ", q3\n\t"                      \
  "vadd.i32 " v ", " v            \
  ", q1\n\t"                      \
  "vshl.s32 " v ", " v ", q2\n\t"

/* Sums of two int16 vectors are added to those of four channels. */
#define MCUC_DEPTHWISE_MVE_ADD(products, bottom, top) \
  "vmovlb.s16 q1, " products                          \
  "\n\t"                                              \
  "vmovlt.s16 q3, " products                          \
  "\n\t"                                              \
  "vadd.i32 " bottom ", " bottom                      \
  ", q1\n\t"                                          \
  "vadd.i32 " top ", " top ", q3\n\t"

#else

/* Channels of a block, four by four as widening twice leaves them: the vectors q4 .. q7. */
static const uint8_t mcuc_depthwise_mve_order[MCUC_DEPTHWISE_MVE_BLOCK] = {
    0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15};

#endif

/* Per block sixteen biases; per tap sixteen weights; then by vector multipliers, constants and
 * lefts of mcuc_mve_scales. */
static const int32_t *mcuc_depthwise_mve_blocks(mcuc_depthwise_block *block, int32_t c,
                                                const int32_t *w)
{
#if MCUC_MVE
  register int32_t channel __asm__("r1") = c;
  register const int32_t *stream __asm__("r2") = w;
  register int8_t *y __asm__("r3") = block->y;
  register int32_t turns __asm__("r4") = block->turns;
  register const mcuc_depthwise_tap *taps __asm__("r5") = block->taps;
  for (; channel != block->end; channel += MCUC_DEPTHWISE_MVE_BLOCK) {
    __asm__ volatile(
        "mov r0, r5\n\t"
        "dls lr, r4\n\t"
        "vldrw.32 q4, [r2], #16\n\t"
        "vldrw.32 q5, [r2], #16\n\t"
        "vldrw.32 q6, [r2], #16\n\t"
        "vldrw.32 q7, [r2], #16\n\t"
        "1:\n\t"
        "ldrd r6, r8, [r0], #8\n\t"
        "add r6, r6, r1\n\t"
        "add r8, r8, r1\n\t"
        "vldrb.8 q0, [r6]\n\t"
        "vldrb.8 q1, [r2], #32\n\t"
        "vmullt.s8 q2, q0, q1\n\t"
        "vmullb.s8 q0, q0, q1\n\t"
        "vldrb.8 q1, [r8]\n\t"
        "vldrb.8 q3, [r2, #-16]\n\t"
        "vmullt.s8 q3, q1, q3\n\t"
        "vadd.i16 q2, q2, q3\n\t"
        "vldrb.8 q3, [r2, #-16]\n\t"
        "vmullb.s8 q1, q1, q3\n\t"
        "vadd.i16 q0, q0, q1\n\t" MCUC_DEPTHWISE_MVE_ADD("q0", "q4", "q5")
            MCUC_DEPTHWISE_MVE_ADD("q2", "q6", "q7")
        "le lr, 1b\n\t" MCUC_DEPTHWISE_MVE_END("q4") MCUC_DEPTHWISE_MVE_END("q5")
            MCUC_DEPTHWISE_MVE_END("q6") MCUC_DEPTHWISE_MVE_END("q7")
        "vqmovnb.s32 q4, q4\n\t"
        "vqmovnt.s32 q4, q5\n\t"
        "vqmovnb.s32 q6, q6\n\t"
        "vqmovnt.s32 q6, q7\n\t"
        "vqmovnb.s16 q4, q4\n\t"
        "vqmovnt.s16 q4, q6\n\t"
        "vstrb.8 q4, [r3], #16\n\t"
        : "+r"(stream), "+r"(y)
        : "r"(channel), "r"(turns), "r"(taps)
        : "r0", "r6", "r8", "lr", "cc", "memory", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7");
  }
  block->y = y;
  return stream;
#else
  const mcuc_mve_finish finish = {-128, 127, 1};
  for (; c != block->end; c += MCUC_DEPTHWISE_MVE_BLOCK) {
    const int32_t taps = block->turns * MCUC_DEPTHWISE_MVE_TURN;
    const int8_t *const weights = (const int8_t *)(const void *)(w + MCUC_DEPTHWISE_MVE_BLOCK);
    const int32_t *ends = w + MCUC_DEPTHWISE_MVE_BLOCK + taps * MCUC_DEPTHWISE_MVE_BLOCK / 4;
    int32_t i;
    for (i = 0; i < MCUC_DEPTHWISE_MVE_BLOCK; ++i) {
      const int32_t k = mcuc_depthwise_mve_order[i];
      const int32_t *end = ends + i / 4 * 12 + i % 4;
      int32_t acc = w[i];
      int32_t t;
      for (t = 0; t < taps; ++t) {
        acc += mcuc_depthwise_at(block, t, c)[k] * weights[t * MCUC_DEPTHWISE_MVE_BLOCK + k];
      }
      block->y[k] = mcuc_mve_finish_one(acc, end[0], end[4], end[8], &finish);
    }
    block->y += MCUC_DEPTHWISE_MVE_BLOCK;
    w = ends + 3 * MCUC_DEPTHWISE_MVE_BLOCK;
  }
  return w;
#endif
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8__mve_1x16(const void *params, const void *call)
{
  mcuc_depthwise_run(params, call, mcuc_depthwise_mve_blocks, MCUC_DEPTHWISE_MVE_BLOCK,
                     MCUC_DEPTHWISE_MVE_TURN);
}
