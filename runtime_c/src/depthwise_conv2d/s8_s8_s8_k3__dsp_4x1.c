/* Depthwise convolution 3x3 with channel multiplier 1, DSP extension, window form with edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : 3 rows of s8 pixels     dst : [n][channels] s8     channels >= 4, stride 1 or 2
 * scratch : columns of four channels (depthwise_columns.h), MCUC_COLUMNS at most.
 * Blocks of four pixels by one channel, then of two and of one. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_columns.h"

#if MCUC_COLUMNS_ASM

/* r0 r1 r2 weights of rows 0 and 1, r3 r4 of row 2, r5 bias, r6 r7 r8 r9 accumulators, r10 r11 a
 * column, r12 x, lr y. First, middle and last kernel column: */
/* clang-format off */
#define MCUC_COLUMNS_X(k) "ldrd r10, r11, [r12, #(32 * " #k ")]\n\t"
#define MCUC_COLUMNS_F(acc) "smlad " acc ", r10, r0, r5\n\tsmlabb " acc ", r11, r3, " acc "\n\t"
#define MCUC_COLUMNS_M(acc) \
  "smlad " acc ", r10, r1, " acc "\n\tsmlabt " acc ", r11, r3, " acc "\n\t"
#define MCUC_COLUMNS_L(acc) \
  "smlad " acc ", r10, r2, " acc "\n\tsmlabb " acc ", r11, r4, " acc "\n\t"

/* A line for each column. */
#define MCUC_COLUMNS_ONE                 \
  MCUC_COLUMNS_X(0) MCUC_COLUMNS_F("r6") \
  MCUC_COLUMNS_X(1) MCUC_COLUMNS_M("r6") \
  MCUC_COLUMNS_X(2) MCUC_COLUMNS_L("r6")
#define MCUC_COLUMNS_TWO_1                                    \
  MCUC_COLUMNS_X(0) MCUC_COLUMNS_F("r6")                      \
  MCUC_COLUMNS_X(1) MCUC_COLUMNS_M("r6") MCUC_COLUMNS_F("r7") \
  MCUC_COLUMNS_X(2) MCUC_COLUMNS_L("r6") MCUC_COLUMNS_M("r7")
#define MCUC_COLUMNS_TWO_2                                    \
  MCUC_COLUMNS_X(0) MCUC_COLUMNS_F("r6")                      \
  MCUC_COLUMNS_X(1) MCUC_COLUMNS_M("r6")                      \
  MCUC_COLUMNS_X(2) MCUC_COLUMNS_L("r6") MCUC_COLUMNS_F("r7") \
  MCUC_COLUMNS_X(3) MCUC_COLUMNS_M("r7")
#define MCUC_COLUMNS_FOUR_1                                                        \
  MCUC_COLUMNS_TWO_1 MCUC_COLUMNS_F("r8")                                          \
  MCUC_COLUMNS_X(3) MCUC_COLUMNS_L("r7") MCUC_COLUMNS_M("r8") MCUC_COLUMNS_F("r9") \
  MCUC_COLUMNS_X(4) MCUC_COLUMNS_L("r8") MCUC_COLUMNS_M("r9")                      \
  MCUC_COLUMNS_X(5) MCUC_COLUMNS_L("r9")
#define MCUC_COLUMNS_FOUR_2                                   \
  MCUC_COLUMNS_TWO_2                                          \
  MCUC_COLUMNS_X(4) MCUC_COLUMNS_L("r7") MCUC_COLUMNS_F("r8") \
  MCUC_COLUMNS_X(5) MCUC_COLUMNS_M("r8")                      \
  MCUC_COLUMNS_X(6) MCUC_COLUMNS_L("r8") MCUC_COLUMNS_F("r9") \
  MCUC_COLUMNS_X(7) MCUC_COLUMNS_M("r9")                      \
  MCUC_COLUMNS_X(8) MCUC_COLUMNS_L("r9")
#define MCUC_COLUMNS_END_1 MCUC_COLUMNS_X(3) MCUC_COLUMNS_L("r7")
#define MCUC_COLUMNS_END_2 MCUC_COLUMNS_X(4) MCUC_COLUMNS_L("r7")
/* clang-format on */

/* How sums end: mcuc_dsp_requantize; without rounding ties away from zero where the clamp hides it,
 * as in mcuc/dsp_wide.h; mcuc_dsp_line with two shifts. */
#define MCUC_COLUMNS_FIRST(acc) "smmlar " acc ", " acc ", r0, " acc "\n\t"
#define MCUC_COLUMNS_SECOND(acc) "smmlar " acc ", " acc ", r1, r2\n\tssat " acc ", #8, " acc "\n\t"
#define MCUC_COLUMNS_AWAY(acc) \
  MCUC_COLUMNS_FIRST(acc) "add " acc ", " acc ", " acc ", asr #31\n\t" MCUC_COLUMNS_SECOND(acc)
#define MCUC_COLUMNS_UP(acc) MCUC_COLUMNS_FIRST(acc) MCUC_COLUMNS_SECOND(acc)
#define MCUC_COLUMNS_LINE_0(acc) "smmla " acc ", " acc ", r0, r1\n\tssat " acc ", #8, " acc "\n\t"
#define MCUC_COLUMNS_LINE_2(acc) \
  "smmla " acc ", " acc ", r0, r1\n\tssat " acc ", #8, " acc ", asr #2\n\t"
#define MCUC_COLUMNS_STORE(acc, to, end) end(acc) "strb " acc ", " to "\n\t"
#define MCUC_COLUMNS_STORE_TWO(a, b, sign) \
  MCUC_COLUMNS_STORE(a, "[lr]", sign)      \
  MCUC_COLUMNS_STORE(b, "[lr, r3]", sign) "add lr, lr, r3, lsl #1\n\t"

/* Four channels, with at least one block of four. The stack, from its pointer on: a channel's
 * words, offset, step, turns, blocks of two, back_x, back_y, the block, channels to go. */
#define MCUC_COLUMNS_BLOCK(name, stride, sign)                          \
  __attribute__((noinline)) static void name(mcuc_columns_block *block) \
  {                                                                     \
    register mcuc_columns_block *r0 __asm__("r0") = block;              \
    __asm__ volatile( \
"push {r7}\n\t" \
"sub sp, #60\n\t" \
"ldrd r4, r5, [r0, #24]\n\t" \
"ldrd r8, r9, [r0, #16]\n\t" \
"movs r6, #4\n\t" \
"strd r4, r5, [sp, #32]\n\t" \
"strd r8, r9, [sp, #44]\n\t" \
"strd r0, r6, [sp, #52]\n\t" \
"1:\n\t" \
"ldr lr, [sp, #52]\n\t" \
"ldmia lr, {r0, r1, r2, r3}\n\t" \
"ldmia r1!, {r4, r5, r6, r7, r8, r9, r10, r11}\n\t" \
"stmia sp, {r4, r5, r6, r7, r8, r9, r10, r11}\n\t" \
"mov r12, r0\n\t" \
"adds r0, #8\n\t" \
"adds r2, #1\n\t" \
"stmia lr, {r0, r1, r2}\n\t" \
"sub lr, r2, #1\n\t" \
"2:\n\t" \
"str r3, [sp, #40]\n\t" \
"ldmia sp, {r0, r1, r2, r3, r4, r5}\n\t" MCUC_COLUMNS_FOUR_##stride \
"ldrd r0, r1, [sp, #24]\n\t" \
"ldrd r2, r3, [sp, #32]\n\t" MCUC_COLUMNS_STORE_TWO("r6", "r7", sign) \
MCUC_COLUMNS_STORE_TWO("r8", "r9", sign) \
"ldr r3, [sp, #40]\n\t" \
"add r12, r12, #(4 * 32 * " #stride ")\n\t" \
"subs r3, r3, #1\n\t" \
"bne 2b\n\t" \
"ldr r3, [sp, #44]\n\t" \
"cmp r3, #0\n\t" \
"beq 3f\n\t" \
"ldmia sp, {r0, r1, r2, r3, r4, r5}\n\t" MCUC_COLUMNS_TWO_##stride \
MCUC_COLUMNS_END_##stride \
"ldrd r0, r1, [sp, #24]\n\t" \
"ldrd r2, r3, [sp, #32]\n\t" MCUC_COLUMNS_STORE_TWO("r6", "r7", sign) \
"add r12, r12, #(2 * 32 * " #stride ")\n\t" \
"3:\n\t" \
"ldr r3, [sp, #48]\n\t" \
"cmp r3, #0\n\t" \
"beq 4f\n\t" \
"ldmia sp, {r0, r1, r2, r3, r4, r5}\n\t" MCUC_COLUMNS_ONE \
"ldrd r0, r1, [sp, #24]\n\t" \
"ldr r2, [sp, #32]\n\t" MCUC_COLUMNS_STORE("r6", "[lr]", sign) \
"4:\n\t" \
"ldr r0, [sp, #56]\n\t" \
"subs r0, r0, #1\n\t" \
"str r0, [sp, #56]\n\t" \
"bne 1b\n\t" \
"add sp, #60\n\t" \
"pop {r7}\n\t" \
: "+r"(r0) \
: \
: "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", \
"memory");                                                 \
  }

MCUC_COLUMNS_BLOCK(mcuc_columns_1_away, 1, MCUC_COLUMNS_AWAY)
MCUC_COLUMNS_BLOCK(mcuc_columns_1_up, 1, MCUC_COLUMNS_UP)
MCUC_COLUMNS_BLOCK(mcuc_columns_2_away, 2, MCUC_COLUMNS_AWAY)
MCUC_COLUMNS_BLOCK(mcuc_columns_2_up, 2, MCUC_COLUMNS_UP)
MCUC_COLUMNS_BLOCK(mcuc_columns_1_line_0, 1, MCUC_COLUMNS_LINE_0)
MCUC_COLUMNS_BLOCK(mcuc_columns_1_line_2, 1, MCUC_COLUMNS_LINE_2)
MCUC_COLUMNS_BLOCK(mcuc_columns_2_line_2, 2, MCUC_COLUMNS_LINE_2)

static inline void mcuc_columns_four(mcuc_columns_block *block, int32_t stride, int32_t n,
                                     int32_t low)
{
  const int32_t up = low >= block->out_offset;
  (void)n;
  if (block->lines == 1) {
    mcuc_columns_1_line_0(block);
  } else if (block->lines && stride == 1) {
    mcuc_columns_1_line_2(block);
  } else if (block->lines) {
    mcuc_columns_2_line_2(block);
  } else if (stride == 1 && up) {
    mcuc_columns_1_up(block);
  } else if (stride == 1) {
    mcuc_columns_1_away(block);
  } else if (up) {
    mcuc_columns_2_up(block);
  } else {
    mcuc_columns_2_away(block);
  }
}

#else

static inline void mcuc_columns_four(mcuc_columns_block *block, int32_t stride, int32_t n,
                                     int32_t low)
{
  int32_t k;
  (void)low;
  for (k = 0; k < 4; ++k) {
    mcuc_columns_plain(block, k, stride, n);
  }
}

#endif

/* n outputs of all channels, whose columns begin with `lead` columns of padding. */
static void mcuc_columns_outputs(const mcuc_depthwise_columns_params *p, uint32_t *columns,
                                 int32_t lead, const mcuc_columns_source *from, int8_t *y,
                                 int32_t step, int32_t n)
{
  mcuc_columns_block block;
  int32_t next;
  block.step = step;
  block.out_offset = p->out_offset;
  block.lines = p->lines;
  block.fours = n >> 2;
  block.two = n & 2;
  block.one = n & 1;
  for (next = 0; next < p->channels; next += 4) {
    /* The last four may have been computed in part. */
    const int32_t first = next + 4 <= p->channels ? next : p->channels - 4;
    mcuc_columns_sort(columns + MCUC_COLUMN_WORDS * lead, from, first);
    block.x = columns;
    block.channel = p->stream + MCUC_COLUMNS_STREAM * first;
    block.y = y + first;
    if (n >= 4) {
      mcuc_columns_four(&block, p->stride, n, p->low);
    }
    if (n < 4 || p->rare) {
      mcuc_columns_rare(p, columns, first, y + first, step, n);
    }
  }
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_k3__dsp_4x1(const void *params, const void *call)
{
  const mcuc_depthwise_columns_params *p = (const mcuc_depthwise_columns_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t most = ((MCUC_COLUMNS - 3) / p->stride + 1) & ~1;
  const int32_t origin = c->start < 0 ? 0 : c->start;
  uint32_t *const columns = (uint32_t *)c->scratch;
  mcuc_columns_source from;
  int32_t done = 0;
  from.step = c->in_step;
  from.padding = ((uint32_t)p->in_zero & 0xFFU) * 0x01010101U;
  while (done < c->n) {
    int32_t n = c->n - done < most ? c->n - done : most;
    int32_t start, size, lead, end, i;
    int8_t *y;
    if (n < 4 && c->n >= 4) { /* some once more */
      done = c->n - 4;
      n = 4;
    }
    start = c->start + done * p->stride;
    size = (n - 1) * p->stride + 3;
    lead = start < 0 ? -start : 0;
    lead = lead < size ? lead : size;
    end = c->in_w - start < size ? c->in_w - start : size;
    from.n = end > lead ? end - lead : 0;
    mcuc_columns_pad(columns, 0, lead, p->in_zero);
    mcuc_columns_pad(columns, lead + from.n, size, p->in_zero);
    for (i = 0; i < 3; ++i) {
      const int32_t row = i - c->top;
      const int32_t present = row >= 0 && row < c->kernel_h;
      from.rows[i] =
          present ? (const int8_t *)c->rows[row] + (start + lead - origin) * c->in_step : 0;
    }
    y = (int8_t *)c->dst + done * c->dst_step;
    mcuc_columns_outputs(p, columns, lead, &from, y, c->dst_step, n);
    if (p->low > -128 || p->high < 127) {
      for (i = 0; i < n; ++i) {
        mcuc_dsp_clamp(y + i * c->dst_step, p->channels, p->low, p->high);
      }
    }
    done += n;
  }
}
