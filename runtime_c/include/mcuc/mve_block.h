/* Helium: dot products of int8 in blocks of registers.
 *
 * Depths are counted in vectors of 16 bytes; weights of 0 fill them up, so that what pixels have
 * there does not matter, as long as it may be read.
 */
#ifndef MCUC_MVE_BLOCK_H
#define MCUC_MVE_BLOCK_H

#include "mcuc/mve_end.h"

/* Threes of pixels, one after another, that are computed by blocks of four outputs of each; the
 * assembly knows the order. The stream has for each four outputs, if pixels have more than two
 * vectors, how often its loop turns; by vector the weights of the first and of the second output;
 * then the same of the others, from the last vector to the first; then mcuc_mve_fours. */
typedef struct mcuc_mve_run {
  const int8_t *x0, *x1, *x2;
  int8_t *y0, *y2;
  const int32_t *stream;
  int32_t x_advance; /* bytes from three to three */
  int32_t y_advance; /* bytes from behind the blocks of a three to those of the next */
  int32_t threes;    /* above 0; 0 in the end */
  int32_t vectors;   /* of a pixel, above 0 */
  int32_t y_step;    /* from the first output pixel to the second */
} mcuc_mve_run;

/* What follows the weights of four outputs. */
typedef struct mcuc_mve_fours {
  int32_t bias[4];
  int32_t multiplier[4];
  int32_t left[4];
  int32_t zero; /* the output's zero point */
  int32_t more; /* 0: the last four outputs that are computed in threes */
} mcuc_mve_fours;

#define MCUC_MVE_FOURS_BYTES 56

/* Bytes of the count before the weights of two outputs. */
static inline int32_t mcuc_mve_count_bytes(int32_t vectors)
{
  return vectors > 2 ? 4 : 0;
}

#if MCUC_MVE

/* Products of a vector of three pixels, q0 to q2, with one of two outputs. `x0` to
 * `x2` read them; `a`: empty for the first ones, which start the sums. */
#define MCUC_MVE_PRODUCTS(a, x0, x1, x2)                                                 \
  x0 "vldrb.8 q3, [r11], #16\n\t"                                                        \
     "vmladav" a ".s8 r0, q0, q3\n\t" x1 "vmladav" a ".s8 r4, q1, q3\n\t" x2 "vmladav" a \
     ".s8 r8, q2, q3\n\t"                                                                \
     "vldrb.8 q3, [r11], #16\n\t"                                                        \
     "vmladav" a                                                                         \
     ".s8 r2, q0, q3\n\t"                                                                \
     "vmladav" a                                                                         \
     ".s8 r6, q1, q3\n\t"                                                                \
     "vmladav" a ".s8 r10, q2, q3\n\t"

/* With the vector that is there already; with another one. */
#define MCUC_MVE_SAME(a) MCUC_MVE_PRODUCTS(a, "", "", "")
#define MCUC_MVE_OTHER(a, at)                                                    \
  MCUC_MVE_PRODUCTS(a, "vldrb.8 q0, [r1" at "\n\t", "vldrb.8 q1, [r3" at "\n\t", \
                    "vldrb.8 q2, [r5" at "\n\t")
#define MCUC_MVE_ON(a) MCUC_MVE_OTHER(a, ", #16]!")
#define MCUC_MVE_BACK(a) MCUC_MVE_OTHER(a, ", #-16]!")

/* The first vector of three pixels. */
#define MCUC_MVE_FIRST   \
  "vldrb.8 q0, [r1]\n\t" \
  "vldrb.8 q1, [r3]\n\t" \
  "vldrb.8 q2, [r5]\n\t"

/* The sums of two outputs of three pixels, on to the end of the pixels and back again, of 1 vector,
 * 2, an odd number or an even one. LE counts down what the stream says. */
#define MCUC_MVE_ON_1 MCUC_MVE_SAME("")
#define MCUC_MVE_BACK_1 MCUC_MVE_SAME("")
#define MCUC_MVE_ON_2 MCUC_MVE_SAME("") MCUC_MVE_OTHER("a", ", #16]")
#define MCUC_MVE_BACK_2 MCUC_MVE_SAME("") MCUC_MVE_OTHER("a", "]")
#define MCUC_MVE_LOOP(way) "2:\n\t" way("a") way("a") "le lr, 2b\n\t"
#define MCUC_MVE_COUNT "ldr lr, [r11], #4\n\t"
#define MCUC_MVE_ODD(way) MCUC_MVE_COUNT MCUC_MVE_SAME("") MCUC_MVE_LOOP(way)
#define MCUC_MVE_EVEN(way) MCUC_MVE_COUNT MCUC_MVE_SAME("") way("a") MCUC_MVE_LOOP(way)
#define MCUC_MVE_ON_ODD MCUC_MVE_ODD(MCUC_MVE_ON)
#define MCUC_MVE_BACK_ODD MCUC_MVE_ODD(MCUC_MVE_BACK)
#define MCUC_MVE_ON_EVEN MCUC_MVE_EVEN(MCUC_MVE_ON)
#define MCUC_MVE_BACK_EVEN MCUC_MVE_EVEN(MCUC_MVE_BACK)

/* q0 to q2 keep the first vector of the pixels. */
#define MCUC_MVE_TIES        \
  "vshr.s32 q3, q4, #31\n\t" \
  "vadd.i32 q4, q4, q3\n\t"  \
  "vshr.s32 q3, q5, #31\n\t" \
  "vadd.i32 q5, q5, q3\n\t"  \
  "vshr.s32 q3, q6, #31\n\t" \
  "vadd.i32 q6, q6, q3\n\t"

/* All threes of a run, r12: of each all fours of outputs. r1, r3, r5 the pixels; r11 the stream;
 * r9, r7 the first and the third output; q7 places of four outputs of the first two, by turns. */
#define MCUC_MVE_RUN(on, back, ties)                                                          \
  __asm__ volatile(                                                                           \
      "ldrd r1, r3, [r12]\n\t"                                                                \
      "ldrd r5, r9, [r12, #8]\n\t"                                                            \
      "ldrd r7, r11, [r12, #16]\n\t"                                                          \
      "4:\n\t" MCUC_MVE_FIRST "1:\n\t" on                                                     \
      "vmov d8, r0, r2\n\t"                                                                   \
      "vmov d10, r4, r6\n\t"                                                                  \
      "vmov d12, r8, r10\n\t" back                                                            \
      "vmov d9, r0, r2\n\t"                                                                   \
      "vmov d11, r4, r6\n\t"                                                                  \
      "vmov d13, r8, r10\n\t"                                                                 \
      "vldrw.32 q3, [r11], #48\n\t"                                                           \
      "vadd.i32 q4, q4, q3\n\t"                                                               \
      "vadd.i32 q5, q5, q3\n\t"                                                               \
      "vadd.i32 q6, q6, q3\n\t"                                                               \
      "vldrw.32 q3, [r11, #-32]\n\t"                                                          \
      "vqrdmulh.s32 q4, q4, q3\n\t"                                                           \
      "vqrdmulh.s32 q5, q5, q3\n\t"                                                           \
      "vqrdmulh.s32 q6, q6, q3\n\t" ties                                                      \
      "vldrw.32 q3, [r11, #-16]\n\t"                                                          \
      "ldrd r0, r2, [r11], #8\n\t"                                                            \
      "vrshl.s32 q4, q4, q3\n\t"                                                              \
      "vrshl.s32 q5, q5, q3\n\t"                                                              \
      "vrshl.s32 q6, q6, q3\n\t"                                                              \
      "vqmovnb.s32 q4, q4\n\t"                                                                \
      "vqmovnt.s32 q4, q5\n\t"                                                                \
      "vqmovnb.s32 q6, q6\n\t"                                                                \
      "vqadd.s16 q4, q4, r0\n\t"                                                              \
      "vqadd.s16 q6, q6, r0\n\t"                                                              \
      "vqmovnb.s16 q4, q4\n\t"                                                                \
      "vqmovnb.s16 q6, q6\n\t"                                                                \
      "vstrb.16 q4, [r9, q7]\n\t"                                                             \
      "vstrb.32 q6, [r7], #4\n\t"                                                             \
      "add r9, #4\n\t"                                                                        \
      "cmp r2, #0\n\t"                                                                        \
      "bne 1b\n\t"                                                                            \
      "ldrd r11, r0, [r12, #20]\n\t"                                                          \
      "ldrd r2, r4, [r12, #28]\n\t"                                                           \
      "add r1, r0\n\t"                                                                        \
      "add r3, r0\n\t"                                                                        \
      "add r5, r0\n\t"                                                                        \
      "add r9, r2\n\t"                                                                        \
      "add r7, r2\n\t"                                                                        \
      "subs r4, #1\n\t"                                                                       \
      "str r4, [r12, #32]\n\t"                                                                \
      "bne 4b\n\t"                                                                            \
      :                                                                                       \
      : "r"(r), "w"(places)                                                                   \
      : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "lr", "cc", \
        "memory", "q0", "q1", "q2", "q3", "q4", "q5", "q6")

/* Runs all threes of pixels; outputs are clamped to int8 only. */
MCUC_INLINED void mcuc_mve_threes(mcuc_mve_run *run, const mcuc_mve_finish *f)
{
  register mcuc_mve_run *r __asm__("r12") = run;
  const uint16x8_t lanes = vidupq_n_u16(0, 1);
  register uint16x8_t places __asm__("q7") =
      vmlaq_n_u16(vshrq_n_u16(lanes, 1), vandq_u16(lanes, vdupq_n_u16(1)), (uint16_t)run->y_step);
  if (f->ties) {
    if (run->vectors == 1) {
      MCUC_MVE_RUN(MCUC_MVE_ON_1, MCUC_MVE_BACK_1, MCUC_MVE_TIES);
    } else if (run->vectors == 2) {
      MCUC_MVE_RUN(MCUC_MVE_ON_2, MCUC_MVE_BACK_2, MCUC_MVE_TIES);
    } else if (run->vectors & 1) {
      MCUC_MVE_RUN(MCUC_MVE_ON_ODD, MCUC_MVE_BACK_ODD, MCUC_MVE_TIES);
    } else {
      MCUC_MVE_RUN(MCUC_MVE_ON_EVEN, MCUC_MVE_BACK_EVEN, MCUC_MVE_TIES);
    }
  } else if (run->vectors == 1) {
    MCUC_MVE_RUN(MCUC_MVE_ON_1, MCUC_MVE_BACK_1, "");
  } else if (run->vectors == 2) {
    MCUC_MVE_RUN(MCUC_MVE_ON_2, MCUC_MVE_BACK_2, "");
  } else if (run->vectors & 1) {
    MCUC_MVE_RUN(MCUC_MVE_ON_ODD, MCUC_MVE_BACK_ODD, "");
  } else {
    MCUC_MVE_RUN(MCUC_MVE_ON_EVEN, MCUC_MVE_BACK_EVEN, "");
  }
}

/* Adds n vectors of products of a pixel with two outputs, whose next vector is x_step bytes on. */
static inline void mcuc_mve_dot_1x2(const int8_t *x, int32_t x_step, const int8_t *w, int32_t n,
                                    int32_t *acc)
{
  int32_t a0 = 0, a1 = 0;
  __asm__(
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vldrb.8 q0, [%[x]]\n\t"
      "vldrb.8 q1, [%[w]], #16\n\t"
      "vmladava.s8 %[a0], q0, q1\n\t"
      "vldrb.8 q3, [%[w]], #16\n\t"
      "vmladava.s8 %[a1], q0, q3\n\t"
      "add %[x], %[x_step]\n\t"
      "le lr, 1b\n\t"
      : [x] "+r"(x), [w] "+r"(w), [a0] "+Te"(a0), [a1] "+Te"(a1)
      : [n] "r"(n), [x_step] "r"(x_step)
      : "q0", "q1", "q3", "lr", "memory");
  acc[0] = a0;
  acc[1] = a1;
}

/* Ends four sums of a pixel and stores the first n. */
static inline void mcuc_mve_store_four(const int32_t *acc, const mcuc_mve_fours *s,
                                       const mcuc_mve_finish *f, int8_t *y, int32_t n)
{
  int32x4_t v = vaddq_s32(mcuc_mve_four(acc[0], acc[1], acc[2], acc[3]), vldrwq_s32(s->bias));
  v = vqrdmulhq_s32(v, vldrwq_s32(s->multiplier));
  if (f->ties) {
    v = vaddq_s32(v, vshrq_n_s32(v, 31));
  }
  v = vqaddq_n_s32(vrshlq_s32(v, vldrwq_s32(s->left)), s->zero);
  v = vminq_s32(vmaxq_s32(v, vdupq_n_s32(f->low)), vdupq_n_s32(f->high));
  vstrbq_p_s32(y, v, vctp32q((uint32_t)n));
}

#else

static inline void mcuc_mve_dot_1x2(const int8_t *x, int32_t x_step, const int8_t *w, int32_t n,
                                    int32_t *acc)
{
  acc[0] = 0;
  acc[1] = 0;
  for (; n > 0; --n) {
    int32_t i;
    for (i = 0; i < MCUC_MVE_BYTES; ++i) {
      acc[0] += x[i] * w[i];
      acc[1] += x[i] * w[i + MCUC_MVE_BYTES];
    }
    x += x_step;
    w += 2 * MCUC_MVE_BYTES;
  }
}

static inline void mcuc_mve_store_four(const int32_t *acc, const mcuc_mve_fours *s,
                                       const mcuc_mve_finish *f, int8_t *y, int32_t n)
{
  int32_t i;
  for (i = 0; i < n && i < 4; ++i) {
    const int32_t v =
        mcuc_mve_round(acc[i] + s->bias[i], s->multiplier[i], s->left[i], s->zero, f->ties);
    y[i] = (int8_t)(v < f->low ? f->low : v > f->high ? f->high : v);
  }
}

#endif

/* Four outputs of a pixel, the first n of them stored; returns the stream that follows. */
static inline const int8_t *mcuc_mve_block_1x4(const int8_t *x, const int8_t *w, int32_t vectors,
                                               int8_t *y, int32_t n, const mcuc_mve_finish *f)
{
  const int32_t count = mcuc_mve_count_bytes(vectors);
  int32_t acc[4];
  w += count;
  mcuc_mve_dot_1x2(x, MCUC_MVE_BYTES, w, vectors, acc);
  w += vectors * 2 * MCUC_MVE_BYTES + count;
  mcuc_mve_dot_1x2(x + (vectors - 1) * MCUC_MVE_BYTES, -MCUC_MVE_BYTES, w, vectors, acc + 2);
  w += vectors * 2 * MCUC_MVE_BYTES;
  mcuc_mve_store_four(acc, (const mcuc_mve_fours *)(const void *)w, f, y, n);
  return w + MCUC_MVE_FOURS_BYTES;
}

#if !MCUC_MVE
/* Runs all threes of pixels. */
static inline void mcuc_mve_threes(mcuc_mve_run *run, const mcuc_mve_finish *f)
{
  for (; run->threes > 0; --run->threes) {
    const int8_t *w = (const int8_t *)(const void *)run->stream;
    int32_t more = 1;
    while (more) {
      (void)mcuc_mve_block_1x4(run->x0, w, run->vectors, run->y0, 4, f);
      (void)mcuc_mve_block_1x4(run->x1, w, run->vectors, run->y0 + run->y_step, 4, f);
      w = mcuc_mve_block_1x4(run->x2, w, run->vectors, run->y2, 4, f);
      more = *(const int32_t *)(const void *)(w - 4);
      run->y0 += 4;
      run->y2 += 4;
    }
    run->x0 += run->x_advance;
    run->x1 += run->x_advance;
    run->x2 += run->x_advance;
    run->y0 += run->y_advance;
    run->y2 += run->y_advance;
  }
}
#endif

#endif
