/* Depthwise convolution with channel multiplier 1 and windows up to 4x4, Helium, window form with
 * edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : kernel_h <= 4 rows of s8 pixels     dst : [n][channels] s8     stride_w 1 or 2
 * scratch : columns of MCUC_DEPTHWISE_MVE_COLUMN bytes. A column has sixteen channels, of each its
 * four rows, as VST4 interleaves them; a vector is gathered from four columns, so that it holds a
 * window, or two of three columns. The stream has of each channel the words of mcuc_mve_round, a
 * vector of weights, and for pairs another one that begins a column later. Rows of the map are cut
 * where scratch is full. Blocks of eight pixels by one channel. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_mve_columns.h"

#if MCUC_MVE

/* Four outputs of two vectors: q0 has the weights of an output in the vector's first column, q1 in
 * the second. Even ones go to half `even`, odd ones to `odd`. */
#define MCUC_DEPTHWISE_K3_PAIRS(even, odd) \
  "vldrw.u32 q2, [q7, #128]!\n\t"          \
  "vmladav.s8 r0, q2, q0\n\t"              \
  "vmladav.s8 r4, q2, q1\n\t"              \
  "vldrw.u32 q3, [q7, #128]!\n\t"          \
  "vmladav.s8 r2, q3, q0\n\t"              \
  "vmladav.s8 r6, q3, q1\n\t"              \
  "vmov " even                             \
  ", r0, r2\n\t"                           \
  "vmov " odd ", r4, r6\n\t"

/* Four outputs of four vectors, which are `step` bytes apart. */
#define MCUC_DEPTHWISE_K3_SINGLES(step, even, odd) \
  "vldrw.u32 q2, [q7, #" step                      \
  "]!\n\t"                                         \
  "vmladav.s8 r0, q2, q0\n\t"                      \
  "vldrw.u32 q3, [q7, #" step                      \
  "]!\n\t"                                         \
  "vmladav.s8 r4, q3, q0\n\t"                      \
  "vldrw.u32 q2, [q7, #" step                      \
  "]!\n\t"                                         \
  "vmladav.s8 r2, q2, q0\n\t"                      \
  "vldrw.u32 q3, [q7, #" step                      \
  "]!\n\t"                                         \
  "vmladav.s8 r6, q3, q0\n\t"                      \
  "vmov " even                                     \
  ", r0, r2\n\t"                                   \
  "vmov " odd ", r4, r6\n\t"
#define MCUC_DEPTHWISE_K3_NEAR(even, odd) MCUC_DEPTHWISE_K3_SINGLES("64", even, odd)
#define MCUC_DEPTHWISE_K3_FAR(even, odd) MCUC_DEPTHWISE_K3_SINGLES("128", even, odd)

#define MCUC_DEPTHWISE_K3_AWAY \
  "vshr.s32 q2, q4, #31\n\t"   \
  "vshr.s32 q3, q5, #31\n\t"   \
  "vadd.i32 q4, q4, q2\n\t"    \
  "vadd.i32 q5, q5, q3\n\t"

/* Eight sums, even ones and odd ones, to eight bytes in the halves of q4. */
#define MCUC_DEPTHWISE_K3_END(ties)  \
  "vadd.i32 q4, q4, r7\n\t"          \
  "vadd.i32 q5, q5, r7\n\t"          \
  "vqrdmulh.s32 q4, q4, r8\n\t"      \
  "vqrdmulh.s32 q5, q5, r8\n\t" ties \
  "vrshl.s32 q4, r9\n\t"             \
  "vrshl.s32 q5, r9\n\t"             \
  "vqmovnb.s32 q4, q4\n\t"           \
  "vqmovnt.s32 q4, q5\n\t"           \
  "vqadd.s16 q4, q4, r10\n\t"        \
  "vqmovnb.s16 q4, q4\n\t"

#define MCUC_DEPTHWISE_K3_TWO_WORDS "vldrw.32 q1, [r12], #16\n\t"

/* All channels of a block: r5 the row, r1 outputs, r3 bytes of eight outputs, r11 whole eights, r12
 * the stream, q6 places of eight outputs, q7 addresses of four columns. It changes the predicate,
 * which gcc has no name for: nothing else here uses one. */
#define MCUC_DEPTHWISE_K3_ASM(four, words, ties) \
  __asm__ volatile("1:\n\t"                                                                      \
                   "ldrd r0, r2, [r5]\n\t"                                                       \
                   "vadd.i32 q7, q7, r0\n\t"                                                     \
                   "add r1, r2\n\t"                                                              \
                   "ldm r12!, {r7, r8, r9, r10}\n\t"                                             \
                   "vldrw.32 q0, [r12], #16\n\t" words                                           \
                   "wls lr, r11, 3f\n\t"                                                         \
                   "2:\n\t" four("d8", "d10") four("d9", "d11") MCUC_DEPTHWISE_K3_END(ties)     \
                   "vstrb.16 q4, [r1, q6]\n\t"                                                   \
                   "add r1, r3\n\t"                                                              \
                   "le lr, 2b\n\t"                                                               \
                   "3:\n\t"                                                                      \
                   "ldr r0, [r5, #12]\n\t"                                                       \
                   "cmp r0, #0\n\t"                                                             \
                   "beq 5f\n\t" four("d8", "d10")                                               \
                   "ldr r0, [r5, #12]\n\t"                                                       \
                   "cmp r0, #4\n\t"                                                              \
                   "ble 4f\n\t" four("d9", "d11")                                                \
                   "4:\n\t" MCUC_DEPTHWISE_K3_END(ties)                                         \
                   "ldr r0, [r5, #12]\n\t"                                                       \
                   "vctp.16 r0\n\t"                                                              \
                   "vpst\n\t"                                                                    \
                   "vstrbt.16 q4, [r1, q6]\n\t"                                                  \
                   "5:\n\t"                                                                      \
                   "ldr r0, [r5, #8]\n\t"                                                        \
                   "cmp r12, r0\n\t"                                                             \
                   "bne 1b\n\t"                                                                  \
                   : "+r"(to), "+r"(stream), "+w"(columns)                                       \
                   : "r"(row), "r"(eight), "r"(turns), "w"(places)                               \
                   : "r0", "r2", "r4", "r6", "r7", "r8", "r9", "r10", "lr", "cc", "memory",      \
                     "q0", "q1", "q2", "q3", "q4", "q5")

/* The same for up to eight outputs, whose predicate is set once: r3 bytes to the columns of the
 * next channel, r11 the stream's end. */
#define MCUC_DEPTHWISE_K3_SHORT(fours, words, ties) \
  __asm__ volatile("vctp.16 %[n]\n\t"                                                      \
                   "1:\n\t"                                                                \
                   "ldm r12!, {r7, r8, r9, r10}\n\t"                                       \
                   "vldrw.32 q0, [r12], #16\n\t" words fours MCUC_DEPTHWISE_K3_END(ties)   \
                   "vpst\n\t"                                                              \
                   "vstrbt.16 q4, [r1, q6]\n\t"                                            \
                   "add r1, #1\n\t"                                                        \
                   "vadd.i32 q7, q7, r3\n\t"                                               \
                   "cmp r12, r11\n\t"                                                      \
                   "bne 1b\n\t"                                                            \
                   : "+r"(to), "+r"(stream), "+w"(columns)                                 \
                   : "r"(next), "r"(end), "w"(places), [n] "r"(n)                          \
                   : "r0", "r2", "r4", "r6", "r7", "r8", "r9", "r10", "cc", "memory",      \
                     "q0", "q1", "q2", "q3", "q4", "q5")

#define MCUC_DEPTHWISE_K3_SHORT_OF(four, words, ties)                            \
  do {                                                                           \
    if (n <= 4) {                                                                \
      MCUC_DEPTHWISE_K3_SHORT(four("d8", "d10"), words, ties);                   \
    } else {                                                                     \
      MCUC_DEPTHWISE_K3_SHORT(four("d8", "d10") four("d9", "d11"), words, ties); \
    }                                                                            \
  } while (0)

/* Addresses of the first word of four columns. */
static inline uint32x4_t mcuc_depthwise_k3_columns(const int8_t *x, int32_t offset)
{
  return vaddq_n_u32(vmulq_n_u32(vidupq_n_u32(0, 1), MCUC_DEPTHWISE_MVE_COLUMN),
                     (uint32_t)((uintptr_t)x + (uintptr_t)offset));
}

/* Up to eight outputs of channels [c, c + count), strides of 1 for pairs and of 2 for others. */
static inline void mcuc_depthwise_k3_short(const mcuc_depthwise_mve_columns *p, int32_t c,
                                           int32_t count, const int8_t *x, int8_t *y,
                                           int32_t y_step, int32_t n)
{
  const int32_t words = p->pairs ? 12 : 8;
  const int32_t step = p->stride_w * MCUC_DEPTHWISE_MVE_COLUMN;
  register int8_t *to __asm__("r1") = y;
  register int32_t next __asm__("r3") = 4 - (n <= 4 ? 4 : 8) * step;
  register const int32_t *stream __asm__("r12") = p->stream + c * words;
  register const int32_t *end __asm__("r11") = p->stream + (c + count) * words;
  register uint16x8_t places __asm__("q6") = vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)y_step);
  register uint32x4_t columns __asm__("q7") =
      mcuc_depthwise_k3_columns(x, -2 * MCUC_DEPTHWISE_MVE_COLUMN);
  if (p->pairs && p->finish.ties) {
    MCUC_DEPTHWISE_K3_SHORT_OF(MCUC_DEPTHWISE_K3_PAIRS, MCUC_DEPTHWISE_K3_TWO_WORDS,
                               MCUC_DEPTHWISE_K3_AWAY);
  } else if (p->pairs) {
    MCUC_DEPTHWISE_K3_SHORT_OF(MCUC_DEPTHWISE_K3_PAIRS, MCUC_DEPTHWISE_K3_TWO_WORDS, "");
  } else if (p->finish.ties) {
    MCUC_DEPTHWISE_K3_SHORT_OF(MCUC_DEPTHWISE_K3_FAR, "", MCUC_DEPTHWISE_K3_AWAY);
  } else {
    MCUC_DEPTHWISE_K3_SHORT_OF(MCUC_DEPTHWISE_K3_FAR, "", "");
  }
}

/* What the assembly reads of a row of outputs. */
typedef struct mcuc_depthwise_mve_row {
  int32_t column_step, y_step; /* from behind the outputs of a channel to the next channel */
  const int32_t *end;          /* of the stream */
  int32_t more;                /* outputs behind whole eights */
} mcuc_depthwise_mve_row;

/* n outputs of channels [c, c + count), y: of channel c. */
static void mcuc_depthwise_mve_block(const mcuc_depthwise_mve_columns *p, int32_t c, int32_t count,
                                     const int8_t *x, int8_t *y, int32_t y_step, int32_t n)
{
  const int32_t words = p->pairs ? 12 : 8;
  const int32_t step = p->stride_w * MCUC_DEPTHWISE_MVE_COLUMN;
  const int32_t ahead = p->pairs ? 2 * step : step;
  mcuc_depthwise_mve_row data;
  register const mcuc_depthwise_mve_row *row __asm__("r5") = &data;
  register int8_t *to __asm__("r1");
  register int32_t eight __asm__("r3") = 8 * y_step;
  register int32_t turns __asm__("r11") = n >> 3;
  register const int32_t *stream __asm__("r12") = p->stream + c * words;
  register uint16x8_t places __asm__("q6") = vmulq_n_u16(vidupq_n_u16(0, 1), (uint16_t)y_step);
  register uint32x4_t columns __asm__("q7");
  if (n <= 8 && (p->pairs || p->stride_w == 2)) {
    mcuc_depthwise_k3_short(p, c, count, x, y, y_step, n);
    return;
  }
  data.end = p->stream + (c + count) * words;
  data.more = n & 7;
  data.y_step = 1 - turns * eight;
  data.column_step = 4 - (8 * turns + ((data.more + 3) & ~3)) * step;
  to = y - data.y_step;
  /* The first gather of a channel comes behind a step. */
  columns = mcuc_depthwise_k3_columns(x, -ahead - data.column_step);
  if (p->pairs && p->finish.ties) {
    MCUC_DEPTHWISE_K3_ASM(MCUC_DEPTHWISE_K3_PAIRS, MCUC_DEPTHWISE_K3_TWO_WORDS,
                          MCUC_DEPTHWISE_K3_AWAY);
  } else if (p->pairs) {
    MCUC_DEPTHWISE_K3_ASM(MCUC_DEPTHWISE_K3_PAIRS, MCUC_DEPTHWISE_K3_TWO_WORDS, "");
  } else if (p->stride_w == 1) {
    MCUC_DEPTHWISE_K3_ASM(MCUC_DEPTHWISE_K3_NEAR, "", MCUC_DEPTHWISE_K3_AWAY);
  } else if (p->finish.ties) {
    MCUC_DEPTHWISE_K3_ASM(MCUC_DEPTHWISE_K3_FAR, "", MCUC_DEPTHWISE_K3_AWAY);
  } else {
    MCUC_DEPTHWISE_K3_ASM(MCUC_DEPTHWISE_K3_FAR, "", "");
  }
}

#else

static void mcuc_depthwise_mve_block(const mcuc_depthwise_mve_columns *p, int32_t c, int32_t count,
                                     const int8_t *x, int8_t *y, int32_t y_step, int32_t n)
{
  int32_t k, i, j;
  for (k = 0; k < count; ++k) {
    const int32_t *const channel = p->stream + (c + k) * (p->pairs ? 12 : 8);
    const int8_t *const w = (const int8_t *)(const void *)(channel + 4);
    for (i = 0; i < n; ++i) {
      const int8_t *const from = x + i * p->stride_w * MCUC_DEPTHWISE_MVE_COLUMN + 4 * k;
      int32_t acc = channel[0];
      for (j = 0; j < p->kernel_w * 4; ++j) {
        acc += from[(j >> 2) * MCUC_DEPTHWISE_MVE_COLUMN + (j & 3)] * w[j];
      }
      y[i * y_step + k] = mcuc_mve_round(acc, channel[1], channel[2], channel[3], p->finish.ties);
    }
  }
}

#endif

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_k3__mve_8x1(const void *params, const void *call)
{
  mcuc_depthwise_mve_run_columns((const mcuc_depthwise_mve_columns *)params,
                                 (const mcuc_window_call *)call, MCUC_DEPTHWISE_MVE_ROWS,
                                 mcuc_depthwise_mve_block);
}
