/* Depthwise convolution 3x3 with channel multiplier 1, DSP extension, window form with edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : 3 rows of s8 pixels     dst : [n][channels] s8     channels >= 4, stride 1 or 2
 * scratch : columns of four channels (depthwise_columns.h), MCUC_COLUMNS at most.
 * Blocks of four pixels by one channel, and of two. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_columns.h"

#if MCUC_COLUMNS_ASM

/* r0 r1 r2 weights of rows 0 and 1, r3 r4 of row 2, r5 bias, r6 r7 r8 r9 accumulators, r10 r11 a
 * column, r12 x, lr y. First, middle and last kernel column: */
#define MCUC_COLUMNS_X(k) "ldrd r10, r11, [r12, #(32 * " #k ")]\n\t"
#define MCUC_COLUMNS_F(acc) \
  "smlad " acc              \
  ", r10, r0, r5\n\t"       \
  "smlabb " acc ", r11, r3, " acc "\n\t"
#define MCUC_COLUMNS_M(acc)      \
  "smlad " acc ", r10, r1, " acc \
  "\n\t"                         \
  "smlabt " acc ", r11, r3, " acc "\n\t"
#define MCUC_COLUMNS_L(acc)      \
  "smlad " acc ", r10, r2, " acc \
  "\n\t"                         \
  "smlabb " acc ", r11, r4, " acc "\n\t"

#define MCUC_COLUMNS_TWO_1                                                         \
  MCUC_COLUMNS_X(0)                                                                \
  MCUC_COLUMNS_F("r6") MCUC_COLUMNS_X(1) MCUC_COLUMNS_M("r6") MCUC_COLUMNS_F("r7") \
      MCUC_COLUMNS_X(2) MCUC_COLUMNS_L("r6") MCUC_COLUMNS_M("r7")
#define MCUC_COLUMNS_TWO_2                                                      \
  MCUC_COLUMNS_X(0)                                                             \
  MCUC_COLUMNS_F("r6") MCUC_COLUMNS_X(1) MCUC_COLUMNS_M("r6") MCUC_COLUMNS_X(2) \
      MCUC_COLUMNS_L("r6") MCUC_COLUMNS_F("r7") MCUC_COLUMNS_X(3) MCUC_COLUMNS_M("r7")
#define MCUC_COLUMNS_FOUR_1                                                            \
  MCUC_COLUMNS_TWO_1 MCUC_COLUMNS_F("r8") MCUC_COLUMNS_X(3) MCUC_COLUMNS_L("r7")       \
      MCUC_COLUMNS_M("r8") MCUC_COLUMNS_F("r9") MCUC_COLUMNS_X(4) MCUC_COLUMNS_L("r8") \
          MCUC_COLUMNS_M("r9") MCUC_COLUMNS_X(5) MCUC_COLUMNS_L("r9")
#define MCUC_COLUMNS_FOUR_2                                                         \
  MCUC_COLUMNS_TWO_2                                                                \
  MCUC_COLUMNS_X(4)                                                                 \
  MCUC_COLUMNS_L("r7") MCUC_COLUMNS_F("r8") MCUC_COLUMNS_X(5) MCUC_COLUMNS_M("r8")  \
      MCUC_COLUMNS_X(6) MCUC_COLUMNS_L("r8") MCUC_COLUMNS_F("r9") MCUC_COLUMNS_X(7) \
          MCUC_COLUMNS_M("r9") MCUC_COLUMNS_X(8) MCUC_COLUMNS_L("r9")
#define MCUC_COLUMNS_END_1 MCUC_COLUMNS_X(3) MCUC_COLUMNS_L("r7")
#define MCUC_COLUMNS_END_2 MCUC_COLUMNS_X(4) MCUC_COLUMNS_L("r7")

/* mcuc_dsp_requantize; without rounding ties away from zero where the clamp hides it, as in
 * mcuc/dsp_wide.h. */
#define MCUC_COLUMNS_AWAY(acc) "add " acc ", " acc ", " acc ", asr #31\n\t"
#define MCUC_COLUMNS_UP(acc) ""
#define MCUC_COLUMNS_STORE(acc, to, sign)                                       \
  "smmlar " acc ", " acc ", r0, " acc "\n\t" sign(acc) "smmlar " acc ", " acc   \
                                                       ", r1, r2\n\t"           \
                                                       "ssat " acc ", #8, " acc \
                                                       "\n\t"                   \
                                                       "strb " acc ", " to "\n\t"
#define MCUC_COLUMNS_STORE_TWO(a, b, sign) \
  MCUC_COLUMNS_STORE(a, "[lr]", sign)      \
  MCUC_COLUMNS_STORE(b, "[lr, r3]", sign) "add lr, lr, r3, lsl #1\n\t"

/* Four channels. The stack, from its pointer on: a channel's words, offset, step, turns, the block,
 * channels to go. */
#define MCUC_COLUMNS_BLOCK(name, stride, sign)                                             \
  __attribute__((noinline)) static void name(mcuc_columns_block *block)                    \
  {                                                                                        \
    register mcuc_columns_block *r0 __asm__("r0") = block;                                 \
    __asm__ volatile(                                                                      \
        "push {r7}\n\t"                                                                    \
        "sub sp, #52\n\t"                                                                  \
        "ldrd r4, r5, [r0, #16]\n\t"                                                       \
        "movs r6, #4\n\t"                                                                  \
        "strd r5, r4, [sp, #32]\n\t"                                                       \
        "strd r0, r6, [sp, #44]\n\t"                                                       \
        "1:\n\t"                                                                           \
        "ldr lr, [sp, #44]\n\t"                                                            \
        "ldmia lr, {r0, r1, r2, r3}\n\t"                                                   \
        "ldmia r1!, {r4, r5, r6, r7, r8, r9, r10, r11}\n\t"                                \
        "stmia sp, {r4, r5, r6, r7, r8, r9, r10, r11}\n\t"                                 \
        "mov r12, r0\n\t"                                                                  \
        "adds r0, #8\n\t"                                                                  \
        "adds r2, #1\n\t"                                                                  \
        "stmia lr, {r0, r1, r2}\n\t"                                                       \
        "sub lr, r2, #1\n\t"                                                               \
        "lsrs r3, r3, #2\n\t"                                                              \
        "beq 3f\n\t"                                                                       \
        "str r3, [sp, #40]\n\t"                                                            \
        "2:\n\t"                                                                           \
        "ldmia sp, {r0, r1, r2, r3, r4, r5}\n\t" MCUC_COLUMNS_FOUR_##stride                \
        "ldrd r0, r1, [sp, #24]\n\t"                                                       \
        "ldrd r2, r3, [sp, #32]\n\t" MCUC_COLUMNS_STORE_TWO("r6", "r7", sign)              \
            MCUC_COLUMNS_STORE_TWO(                                                        \
                "r8", "r9",                                                                \
                sign) "add r12, r12, #(4 * 32 * " #stride                                  \
                      ")\n\t"                                                              \
                      "ldr r0, [sp, #40]\n\t"                                              \
                      "subs r0, r0, #1\n\t"                                                \
                      "str r0, [sp, #40]\n\t"                                              \
                      "bne 2b\n\t"                                                         \
                      "3:\n\t" /* an odd number of outputs: one of them once more */       \
                      "ldr r0, [sp, #44]\n\t"                                              \
                      "ldr r0, [r0, #12]\n\t"                                              \
                      "ands r0, r0, #3\n\t"                                                \
                      "beq 6f\n\t"                                                         \
                      "lsrs r0, r0, #1\n\t"                                                \
                      "bcc 4f\n\t"                                                         \
                      "ldr r3, [sp, #36]\n\t"                                              \
                      "sub r12, r12, #(32 * " #stride                                      \
                      ")\n\t"                                                              \
                      "sub lr, lr, r3\n\t"                                                 \
                      "adds r0, r0, #1\n\t"                                                \
                      "4:\n\t"                                                             \
                      "str r0, [sp, #40]\n\t"                                              \
                      "5:\n\t"                                                             \
                      "ldmia sp, {r0, r1, r2, r3, r4, r5}\n\t" MCUC_COLUMNS_TWO_##stride   \
                          MCUC_COLUMNS_END_##stride                                        \
        "ldrd r0, r1, [sp, #24]\n\t"                                                       \
        "ldrd r2, r3, [sp, #32]\n\t" MCUC_COLUMNS_STORE_TWO(                               \
            "r6", "r7", sign) "add r12, r12, #(2 * 32 * " #stride                          \
                              ")\n\t"                                                      \
                              "ldr r0, [sp, #40]\n\t"                                      \
                              "subs r0, r0, #1\n\t"                                        \
                              "str r0, [sp, #40]\n\t"                                      \
                              "bne 5b\n\t"                                                 \
                              "6:\n\t"                                                     \
                              "ldr r0, [sp, #48]\n\t"                                      \
                              "subs r0, r0, #1\n\t"                                        \
                              "str r0, [sp, #48]\n\t"                                      \
                              "bne 1b\n\t"                                                 \
                              "add sp, #52\n\t"                                            \
                              "pop {r7}\n\t"                                               \
        : "+r"(r0)                                                                         \
        :                                                                                  \
        : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", \
          "memory");                                                                       \
  }

MCUC_COLUMNS_BLOCK(mcuc_columns_1_away, 1, MCUC_COLUMNS_AWAY)
MCUC_COLUMNS_BLOCK(mcuc_columns_1_up, 1, MCUC_COLUMNS_UP)
MCUC_COLUMNS_BLOCK(mcuc_columns_2_away, 2, MCUC_COLUMNS_AWAY)
MCUC_COLUMNS_BLOCK(mcuc_columns_2_up, 2, MCUC_COLUMNS_UP)

static void mcuc_columns_four(mcuc_columns_block block, int32_t stride, int32_t low)
{
  if (stride == 1) {
    (low >= block.out_offset ? mcuc_columns_1_up : mcuc_columns_1_away)(&block);
  } else {
    (low >= block.out_offset ? mcuc_columns_2_up : mcuc_columns_2_away)(&block);
  }
}

#else

static void mcuc_columns_four(mcuc_columns_block block, int32_t stride, int32_t low)
{
  int32_t k;
  (void)low;
  for (k = 0; k < 4; ++k) {
    mcuc_columns_one(&block, k, stride);
  }
}

#endif

/* All channels of a piece of a row; rows: first column of it that the map has. */
static void mcuc_columns_outputs(const mcuc_depthwise_planar_params *p, const mcuc_window_call *c,
                                 const mcuc_planar_piece *piece, int32_t x_offset, int8_t *y)
{
  const uint32_t padding = ((uint32_t)p->in_zero & 0xFFU) * 0x01010101U;
  uint32_t *const columns = (uint32_t *)c->scratch;
  mcuc_columns_block block;
  int32_t next;
  block.x = columns;
  block.n = piece->outputs;
  block.step = c->dst_step;
  block.out_offset = p->out_offset;
  for (next = 0; next < p->channels; next += 4) {
    /* The last four may have been computed in part. */
    const int32_t first = next + 4 <= p->channels ? next : p->channels - 4;
    const int8_t *rows[3];
    int32_t k;
    for (k = 0; k < 3; ++k) {
      const int32_t row = k - c->top;
      const int32_t present = row >= 0 && row < c->kernel_h;
      rows[k] = present ? (const int8_t *)c->rows[row] + x_offset + first : 0;
    }
    if (piece->end > piece->first) {
      mcuc_columns_sort(columns + MCUC_COLUMN_WORDS * piece->first, rows, c->in_step,
                        piece->end - piece->first, padding);
    }
    block.channel = p->stream + MCUC_COLUMNS_STREAM * first;
    block.y = y + first;
    if (block.n >= 4) {
      mcuc_columns_four(block, p->stride, p->low);
    }
    for (k = 0; k < 4; ++k) {
      if (block.n < 4 || block.channel[MCUC_COLUMNS_STREAM * (k + 1) - 1] < 0) {
        mcuc_columns_one(&block, k, p->stride);
      }
    }
  }
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_k3__dsp_4x1(const void *params, const void *call)
{
  const mcuc_depthwise_planar_params *p = (const mcuc_depthwise_planar_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t most = ((MCUC_COLUMNS - 3) / p->stride + 1) & ~1;
  const int32_t origin = c->start < 0 ? 0 : c->start;
  int32_t done = 0;
  while (done < c->n) {
    mcuc_planar_piece piece;
    int32_t start, columns, i;
    int8_t *y;
    piece.outputs = c->n - done < most ? c->n - done : most;
    if (piece.outputs < 4 && c->n >= 4) {
      done = c->n - 4; /* some once more */
      piece.outputs = 4;
    }
    start = c->start + done * p->stride;
    y = (int8_t *)c->dst + done * c->dst_step;
    columns = (piece.outputs - 1) * p->stride + 3;
    piece.first = start < 0 ? -start : 0;
    piece.first = piece.first < columns ? piece.first : columns;
    piece.end = c->in_w - start < columns ? c->in_w - start : columns;
    piece.end = piece.end > piece.first ? piece.end : piece.first;
    mcuc_columns_pad((uint32_t *)c->scratch, 0, piece.first, p->in_zero);
    mcuc_columns_pad((uint32_t *)c->scratch, piece.end, columns, p->in_zero);
    mcuc_columns_outputs(p, c, &piece, (start + piece.first - origin) * c->in_step, y);
    for (i = 0; i < piece.outputs; ++i) {
      mcuc_dsp_clamp(y + i * c->dst_step, p->channels, p->low, p->high);
    }
    done += piece.outputs;
  }
}
