/* Depthwise convolution with channel multiplier 1, Helium, window form with edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][channels] s8     channels >= 8
 * scratch : eight planes of MCUC_DEPTHWISE_MVE_PLANE bytes, and a window.
 * A plane has the columns of one channel, of each `height` bytes, its rows: a window of it is one
 * piece of memory. Rows of the map are cut where planes are full. Blocks of four pixels by one
 * channel. Bit-exact to mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_mve.h"

#if MCUC_MVE

/* One output: its window in vectors, with weights in q0 .. q3. `at`: of the window. */
#define MCUC_DEPTHWISE_MVE_TAPS_1(acc, at) \
  "vldrb.8 q4, [r1, #" at                  \
  "]\n\t"                                  \
  "vmladav.s8 " acc ", q4, q0\n\t"
#define MCUC_DEPTHWISE_MVE_TAPS_2(acc, at) \
  MCUC_DEPTHWISE_MVE_TAPS_1(acc, at)       \
  "vldrb.8 q4, [r1, #16 + " at             \
  "]\n\t"                                  \
  "vmladava.s8 " acc ", q4, q1\n\t"
#define MCUC_DEPTHWISE_MVE_TAPS_3(acc, at) \
  MCUC_DEPTHWISE_MVE_TAPS_2(acc, at)       \
  "vldrb.8 q4, [r1, #32 + " at             \
  "]\n\t"                                  \
  "vmladava.s8 " acc ", q4, q2\n\t"
#define MCUC_DEPTHWISE_MVE_TAPS_4(acc, at) \
  MCUC_DEPTHWISE_MVE_TAPS_3(acc, at)       \
  "vldrb.8 q4, [r1, #48 + " at             \
  "]\n\t"                                  \
  "vmladava.s8 " acc ", q4, q3\n\t"

/* Four outputs, whose windows are `step` bytes apart, a literal; or r3. */
#define MCUC_DEPTHWISE_MVE_NEAR(taps, step)              \
  taps("r0", "0") taps("r2", step) taps("r4", "2*" step) \
      taps("r6", "3*" step) "add r1, r1, #4*" step "\n\t"
#define MCUC_DEPTHWISE_MVE_NEXT "add r1, r1, r3\n\t"
#define MCUC_DEPTHWISE_MVE_FAR(taps, step)                                                        \
  taps("r0", "0") MCUC_DEPTHWISE_MVE_NEXT taps("r2", "0") MCUC_DEPTHWISE_MVE_NEXT taps("r4", "0") \
      MCUC_DEPTHWISE_MVE_NEXT taps("r6", "0") MCUC_DEPTHWISE_MVE_NEXT

#define MCUC_DEPTHWISE_MVE_TIES \
  "vshr.s32 q5, q4, #31\n\t"    \
  "vadd.i32 q4, q4, q5\n\t"

#define MCUC_DEPTHWISE_MVE_FOUR(four, taps, step, ties) \
  four(taps, step) "vmov d8, r0, r2\n\t"                \
                   "vmov d9, r4, r6\n\t"                \
                   "vadd.i32 q4, q4, r7\n\t"            \
                   "vqrdmulh.s32 q4, q4, r8\n\t" ties   \
                   "vadd.i32 q4, q4, r9\n\t"            \
                   "vshl.s32 q4, r11\n\t"               \
                   "vqmovnb.s32 q4, q4\n\t"             \
                   "vqmovnb.s16 q4, q4\n\t"

/* r0 blocks of four outputs, then r10 outputs more. It changes the predicate, which gcc has no name
 * for: nothing else here uses one. */
#define MCUC_DEPTHWISE_MVE_ASM(four, taps, step, ties) \
  __asm__ volatile("wls lr, r0, 2f\n\t"                                                            \
                   "1:\n\t" MCUC_DEPTHWISE_MVE_FOUR(four, taps, step, ties)                        \
                   "vstrb.32 q4, [r5, q6]\n\t"                                                     \
                   "add r5, r5, r12\n\t"                                                           \
                   "le lr, 1b\n\t"                                                                 \
                   "2:\n\t"                                                                        \
                   "cmp r10, #0\n\t"                                                               \
                   "beq 3f\n\t" MCUC_DEPTHWISE_MVE_FOUR(four, taps, step, ties)                    \
                   "vctp.32 r10\n\t"                                                               \
                   "vpst\n\t"                                                                      \
                   "vstrbt.32 q4, [r5, q6]\n\t"                                                    \
                   "3:\n\t"                                                                        \
                   : "+r"(turns), "+r"(from), "+r"(to)                                             \
                   : "r"(next), "r"(bias), "r"(multiplier), "r"(constant), "r"(left), "r"(more),   \
                     "r"(to_next), "w"(w0), "w"(w1), "w"(w2), "w"(w3), "w"(places)                 \
                   : "r2", "r4", "r6", "lr", "cc", "memory", "q4", "q5")

/* n outputs of one channel; windows are `step` bytes apart. Clamped to int8 only. */
MCUC_INLINED void mcuc_depthwise_mve_channel(const mcuc_depthwise_mve_params *p, const int8_t *x,
                                             int32_t step, const int32_t *channel, int8_t *y,
                                             int32_t y_step, int32_t n, int32_t vectors)
{
  const int8_t *w = (const int8_t *)(const void *)(channel + 4);
  register int8x16_t w0 __asm__("q0") = vldrbq_s8(w);
  register int8x16_t w1 __asm__("q1") = vectors > 1 ? vldrbq_s8(w + 16) : w0;
  register int8x16_t w2 __asm__("q2") = vectors > 2 ? vldrbq_s8(w + 32) : w0;
  register int8x16_t w3 __asm__("q3") = vectors > 3 ? vldrbq_s8(w + 48) : w0;
  register uint32x4_t places __asm__("q6") = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)y_step);
  register int32_t turns __asm__("r0") = n >> 2;
  register const int8_t *from __asm__("r1") = x;
  register int32_t next __asm__("r3") = step;
  register int8_t *to __asm__("r5") = y;
  register int32_t bias __asm__("r7") = channel[0];
  register int32_t multiplier __asm__("r8") = channel[1];
  register int32_t constant __asm__("r9") = channel[2];
  register int32_t left __asm__("r11") = channel[3];
  register int32_t more __asm__("r10") = n & 3;
  register int32_t to_next __asm__("r12") = 4 * y_step;
  if (p->finish.ties) {
    if (vectors == 1) {
      MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_FAR, MCUC_DEPTHWISE_MVE_TAPS_1, "",
                             MCUC_DEPTHWISE_MVE_TIES);
    } else if (vectors == 2) {
      MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_FAR, MCUC_DEPTHWISE_MVE_TAPS_2, "",
                             MCUC_DEPTHWISE_MVE_TIES);
    } else if (vectors == 3) {
      MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_FAR, MCUC_DEPTHWISE_MVE_TAPS_3, "",
                             MCUC_DEPTHWISE_MVE_TIES);
    } else {
      MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_FAR, MCUC_DEPTHWISE_MVE_TAPS_4, "",
                             MCUC_DEPTHWISE_MVE_TIES);
    }
  } else if (vectors == 1 && step == 4) {
    MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_NEAR, MCUC_DEPTHWISE_MVE_TAPS_1, "4", "");
  } else if (vectors == 1) {
    MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_FAR, MCUC_DEPTHWISE_MVE_TAPS_1, "", "");
  } else if (vectors == 2) {
    MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_FAR, MCUC_DEPTHWISE_MVE_TAPS_2, "", "");
  } else if (vectors == 3) {
    MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_FAR, MCUC_DEPTHWISE_MVE_TAPS_3, "", "");
  } else {
    MCUC_DEPTHWISE_MVE_ASM(MCUC_DEPTHWISE_MVE_FAR, MCUC_DEPTHWISE_MVE_TAPS_4, "", "");
  }
}

#else

static inline void mcuc_depthwise_mve_channel(const mcuc_depthwise_mve_params *p, const int8_t *x,
                                              int32_t step, const int32_t *channel, int8_t *y,
                                              int32_t y_step, int32_t n, int32_t vectors)
{
  const int8_t *w = (const int8_t *)(const void *)(channel + 4);
  for (; n > 0; --n) {
    int32_t acc = channel[0];
    int32_t i;
    for (i = 0; i < vectors * MCUC_MVE_BYTES; ++i) {
      acc += x[i] * w[i];
    }
    *y = mcuc_mve_finish_one(acc, channel[1], channel[2], channel[3], &p->finish);
    x += step;
    y += y_step;
  }
}

#endif

/* All channels of a piece; offset: as above, of channel 0. */
MCUC_INLINED void mcuc_depthwise_mve_outputs(const mcuc_depthwise_mve_params *p,
                                             const mcuc_window_call *call,
                                             const mcuc_depthwise_mve_piece *piece, int32_t offset,
                                             int8_t *y, int32_t vectors)
{
  const int32_t step = p->stride_w * p->height;
  const int32_t words = 4 + vectors * MCUC_MVE_BYTES / 4;
  int32_t next;
  for (next = 0; next < p->channels; next += MCUC_DEPTHWISE_MVE_CHANNELS) {
    /* The last ones may have been computed in part. */
    const int32_t last = p->channels - MCUC_DEPTHWISE_MVE_CHANNELS;
    const int32_t c = next < last ? next : last;
    const int8_t *plane = (const int8_t *)call->scratch;
    int32_t k;
    mcuc_depthwise_mve_planes(p, call, piece, offset + c);
    for (k = c; k < c + MCUC_DEPTHWISE_MVE_CHANNELS; ++k) {
      mcuc_depthwise_mve_channel(p, plane, step, p->stream + k * words, y + k, call->dst_step,
                                 piece->outputs, vectors);
      plane += MCUC_DEPTHWISE_MVE_PLANE;
    }
  }
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8__mve_4x1(const void *params, const void *call)
{
  const mcuc_depthwise_mve_params *p = (const mcuc_depthwise_mve_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const int32_t columns = MCUC_DEPTHWISE_MVE_PLANE / p->height;
  const int32_t most = (columns - p->kernel_w) / p->stride_w + 1;
  const int32_t pieces = (c->n + most - 1) / most;
  const int32_t each = pieces > 1 ? (c->n + pieces - 1) / pieces : c->n;
  int32_t done;
  for (done = 0; done < c->n; done += each) {
    const int32_t start = c->start + done * p->stride_w;
    int8_t *const y = (int8_t *)c->dst + done * c->dst_step;
    mcuc_depthwise_mve_piece piece;
    int32_t width, offset;
    piece.outputs = c->n - done < each ? c->n - done : each;
    width = (piece.outputs - 1) * p->stride_w + p->kernel_w;
    offset = mcuc_depthwise_mve_cut(c, start, width, &piece);
    mcuc_depthwise_mve_pad(p, c, &piece, width);
    switch (p->vectors) {
      case 1:
        mcuc_depthwise_mve_outputs(p, c, &piece, offset, y, 1);
        break;
      case 2:
        mcuc_depthwise_mve_outputs(p, c, &piece, offset, y, 2);
        break;
      case 3:
        mcuc_depthwise_mve_outputs(p, c, &piece, offset, y, 3);
        break;
      default:
        mcuc_depthwise_mve_outputs(p, c, &piece, offset, y, 4);
        break;
    }
    for (width = 0; width < piece.outputs; ++width) {
      mcuc_dsp_clamp(y + width * c->dst_step, p->channels, p->finish.low, p->finish.high);
    }
  }
}
