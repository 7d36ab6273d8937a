/* Depthwise convolution with channel multiplier 1 and windows up to 8x8, Helium, window form with
 * edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : kernel_h <= 8 rows of s8 pixels     dst : [n][channels] s8     stride_w 1 or 2
 * scratch : columns as in k3__mve_8x1, of rows 0 to 3 (A) and of rows 4 to 7 (B). Vectors of a
 * window of more than five columns: A 0..3, A 4..7, B 0..3, B 4..7; of others: A 0..3, then A 4 and
 * B 0..2, then nothing, B 3, B 4, nothing. The stream has of each channel their weights, then the
 * words of mcuc_mve_round. Blocks of four pixels by one channel. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_mve_columns.h"

#if MCUC_MVE

#define MCUC_DEPTHWISE_K7_TAPS(a, acc, from, w) \
  "vldrw.u32 q4, [" from                        \
  "\n\t"                                        \
  "vmladav" a ".s8 " acc ", q4, " w "\n\t"

/* One output, `step` bytes behind the one before it. */
#define MCUC_DEPTHWISE_K7_THREE(acc, step)                  \
  MCUC_DEPTHWISE_K7_TAPS("", acc, "q7, #" step "]!", "q0")  \
  MCUC_DEPTHWISE_K7_TAPS("a", acc, "q6, #" step "]!", "q1") \
  MCUC_DEPTHWISE_K7_TAPS("a", acc, "q6, #192]", "q2")
#define MCUC_DEPTHWISE_K7_FOUR(acc, step)                   \
  MCUC_DEPTHWISE_K7_TAPS("", acc, "q7, #" step "]!", "q0")  \
  MCUC_DEPTHWISE_K7_TAPS("a", acc, "q7, #256]", "q1")       \
  MCUC_DEPTHWISE_K7_TAPS("a", acc, "q6, #" step "]!", "q2") \
  MCUC_DEPTHWISE_K7_TAPS("a", acc, "q6, #256]", "q3")

#define MCUC_DEPTHWISE_K7_AWAY \
  "vshr.s32 q4, q5, #31\n\t"   \
  "vadd.i32 q5, q5, q4\n\t"

/* Four outputs to the bytes of q5's words; q4: their places. */
#define MCUC_DEPTHWISE_K7_BLOCK(taps, step, ties) \
  taps("r0", step) taps("r2", step) taps("r4", step) taps("r6", step)      \
  "vmov d10, r0, r2\n\t"                                                   \
  "vmov d11, r4, r6\n\t"                                                   \
  "ldm r12, {r0, r2, r4, r6}\n\t"                                          \
  "vadd.i32 q5, q5, r0\n\t"                                                \
  "vqrdmulh.s32 q5, q5, r2\n\t" ties                                       \
  "vrshl.s32 q5, r4\n\t"                                                   \
  "vqmovnb.s32 q5, q5\n\t"                                                 \
  "vqadd.s16 q5, q5, r6\n\t"                                               \
  "vldrw.32 q4, [r5]\n\t"                                                  \
  "vqmovnb.s16 q5, q5\n\t"

/* All channels of a block: r5 the row, r1 outputs, r3 bytes of four outputs, r7 bytes to the
 * columns of the next channel, r8 to its outputs, r9 outputs behind whole fours, r10 the stream's
 * end, r11 whole fours, r12 the stream, q6 and q7 addresses. It changes the predicate, which gcc
 * has no name for: nothing else here uses one. */
#define MCUC_DEPTHWISE_K7_ASM(taps, words, step, ties) \
  __asm__ volatile("1:\n\t"                                                                     \
                   "vldrw.32 q0, [r12], #16\n\t"                                                \
                   "vldrw.32 q1, [r12], #16\n\t"                                                \
                   "vldrw.32 q2, [r12], #16\n\t" words                                          \
                   "wls lr, r11, 3f\n\t"                                                        \
                   "2:\n\t" MCUC_DEPTHWISE_K7_BLOCK(taps, step, ties)                           \
                   "vstrb.32 q5, [r1, q4]\n\t"                                                  \
                   "add r1, r3\n\t"                                                             \
                   "le lr, 2b\n\t"                                                              \
                   "3:\n\t"                                                                     \
                   "cmp r9, #0\n\t"                                                             \
                   "beq 4f\n\t" MCUC_DEPTHWISE_K7_BLOCK(taps, step, ties)                       \
                   "vctp.32 r9\n\t"                                                             \
                   "vpst\n\t"                                                                   \
                   "vstrbt.32 q5, [r1, q4]\n\t"                                                 \
                   "4:\n\t"                                                                     \
                   "vadd.i32 q7, q7, r7\n\t"                                                    \
                   "vadd.i32 q6, q6, r7\n\t"                                                    \
                   "add r1, r8\n\t"                                                             \
                   "add r12, #16\n\t"                                                           \
                   "cmp r12, r10\n\t"                                                           \
                   "bne 1b\n\t"                                                                 \
                   : "+r"(to), "+r"(stream), "+w"(first), "+w"(second)                          \
                   : "r"(row), "r"(four), "r"(column_step), "r"(y_back), "r"(more), "r"(end),   \
                     "r"(turns)                                                                 \
                   : "r0", "r2", "r4", "r6", "lr", "cc", "memory", "q0", "q1", "q2", "q3",      \
                     "q4", "q5")

#define MCUC_DEPTHWISE_K7_FOURTH "vldrw.32 q3, [r12], #16\n\t"

/* Adds are the same for all strides but the literal. */
#define MCUC_DEPTHWISE_K7_OF(taps, words)                                \
  do {                                                                   \
    if (p->stride_w == 1 && p->finish.ties) {                            \
      MCUC_DEPTHWISE_K7_ASM(taps, words, "64", MCUC_DEPTHWISE_K7_AWAY);  \
    } else if (p->stride_w == 1) {                                       \
      MCUC_DEPTHWISE_K7_ASM(taps, words, "64", "");                      \
    } else {                                                             \
      MCUC_DEPTHWISE_K7_ASM(taps, words, "128", MCUC_DEPTHWISE_K7_AWAY); \
    }                                                                    \
  } while (0)

/* n outputs of channels [c, c + count), y: of channel c. */
static void mcuc_depthwise_k7_block(const mcuc_depthwise_mve_columns *p, int32_t c, int32_t count,
                                    const int8_t *x, int8_t *y, int32_t y_step, int32_t n)
{
  const int32_t words = 4 + 4 * p->vectors, step = p->stride_w * MCUC_DEPTHWISE_MVE_COLUMN;
  const uint32_t base = (uint32_t)((uintptr_t)x - (uintptr_t)step);
  const uint32x4_t columns = vmulq_n_u32(vidupq_n_u32(0, 1), MCUC_DEPTHWISE_MVE_COLUMN);
  uint32_t places[4];
  register const uint32_t *row __asm__("r5") = places;
  register int8_t *to __asm__("r1") = y;
  register int32_t four __asm__("r3") = 4 * y_step;
  register int32_t turns __asm__("r11") = n >> 2;
  register int32_t more __asm__("r9") = n & 3;
  register int32_t column_step __asm__("r7") = 4 - ((n + 3) & ~3) * step;
  register int32_t y_back __asm__("r8") = 1 - turns * four;
  register const int32_t *stream __asm__("r12") = p->stream + c * words;
  register const int32_t *end __asm__("r10") = p->stream + (c + count) * words;
  register uint32x4_t first __asm__("q7") = vaddq_n_u32(columns, base);
  register uint32x4_t second __asm__("q6") = vaddq_n_u32(first, (uint32_t)p->area);
  vstrwq_u32(places, vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)y_step));
  if (p->vectors == 3) { /* A 4, B 0, B 1, B 2 */
    second = vsubq_n_u32(second, MCUC_DEPTHWISE_MVE_COLUMN);
    second = vsetq_lane_u32(base + 4 * MCUC_DEPTHWISE_MVE_COLUMN, second, 0);
    MCUC_DEPTHWISE_K7_OF(MCUC_DEPTHWISE_K7_THREE, "");
  } else {
    MCUC_DEPTHWISE_K7_OF(MCUC_DEPTHWISE_K7_FOUR, MCUC_DEPTHWISE_K7_FOURTH);
  }
}

#else

/* Which column a word of a vector has; B's are negative, less 1. */
static const int8_t mcuc_depthwise_k7_words[2][16] = {
    {0, 1, 2, 3, 4, -1, -2, -3, 7, -4, -5, -6, 0, 0, 0, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, -1, -2, -3, -4, -5, -6, -7, -8}};

static void mcuc_depthwise_k7_block(const mcuc_depthwise_mve_columns *p, int32_t c, int32_t count,
                                    const int8_t *x, int8_t *y, int32_t y_step, int32_t n)
{
  const int8_t *const order = mcuc_depthwise_k7_words[p->vectors - 3];
  int32_t k, i, j;
  for (k = 0; k < count; ++k) {
    const int32_t *const channel = p->stream + (c + k) * (4 + 4 * p->vectors);
    const int32_t *const end = channel + 4 * p->vectors;
    const int8_t *const w = (const int8_t *)(const void *)channel;
    for (i = 0; i < n; ++i) {
      int32_t acc = end[0];
      for (j = 0; j < p->vectors * MCUC_MVE_BYTES; ++j) {
        const int32_t word = order[j >> 2];
        const int32_t column = word < 0 ? -1 - word : word;
        if (w[j] != 0) { /* other columns may be behind scratch */
          acc += w[j] * x[(word < 0 ? p->area : 0) + 4 * k + (j & 3) +
                          (i * p->stride_w + column) * MCUC_DEPTHWISE_MVE_COLUMN];
        }
      }
      y[i * y_step + k] = mcuc_mve_round(acc, end[1], end[2], end[3], p->finish.ties);
    }
  }
}

#endif

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_k7__mve_4x1(const void *params, const void *call)
{
  mcuc_depthwise_mve_run_columns((const mcuc_depthwise_mve_columns *)params,
                                 (const mcuc_window_call *)call, 2 * MCUC_DEPTHWISE_MVE_ROWS,
                                 mcuc_depthwise_k7_block);
}
