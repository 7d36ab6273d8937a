/* Helium: dot products of int8 in blocks of registers.
 *
 * Depths are counted in vectors of 16 bytes; weights of 0 fill them up, so that what pixels have
 * there does not matter, as long as it may be read.
 */
#ifndef MCUC_MVE_BLOCK_H
#define MCUC_MVE_BLOCK_H

#include "mcuc/mve_end.h"

/* Pairs of pixels, one after another, that are computed by blocks of four outputs of both; the
 * assembly knows the order. Weights: for each four outputs by vector those of the first and of the
 * second, then those of the others; then their mcuc_mve_scales. */
typedef struct mcuc_mve_run {
  const int32_t *stream;
  int32_t turns;     /* blocks of a pair, above 0 */
  int32_t x_advance; /* bytes from pair to pair */
  int32_t y_advance; /* bytes from behind the blocks of a pair to those of the next */
  int32_t pairs;     /* above 0; 0 in the end */
  int32_t vectors;   /* of a pixel, above 0 */
  const int8_t *x0, *x1;
  int8_t *y0, *y1;
} mcuc_mve_run;

#if MCUC_MVE

/* Products of a vector of two pixels with one of two outputs. `step`: how the pixels are read; `a`:
 * empty for the first ones, which start the sums. */
#define MCUC_MVE_PRODUCTS(a, step) \
  "vldrb.8 q0, [r9" step           \
  "\n\t"                           \
  "vldrb.8 q1, [r5], #16\n\t"      \
  "vmladav" a                      \
  ".s8 r0, q0, q1\n\t"             \
  "vldrb.8 q2, [r11" step          \
  "\n\t"                           \
  "vmladav" a                      \
  ".s8 r4, q2, q1\n\t"             \
  "vldrb.8 q3, [r5], #16\n\t"      \
  "vmladav" a                      \
  ".s8 r2, q0, q3\n\t"             \
  "vmladav" a ".s8 r6, q2, q3\n\t"

/* The sums of two outputs of two pixels of 1 vector, 2, an odd number or an even one. */
#define MCUC_MVE_SUMS_1 MCUC_MVE_PRODUCTS("", "]")
#define MCUC_MVE_SUMS_2 MCUC_MVE_SUMS_1 MCUC_MVE_PRODUCTS("a", ", #16]")
#define MCUC_MVE_SUMS_ODD         \
  MCUC_MVE_PRODUCTS("", "], #16") \
  "dls lr, r8\n\t"                                                                 \
  "2:\n\t" MCUC_MVE_PRODUCTS("a", "], #16") MCUC_MVE_PRODUCTS("a", "], #16")       \
  "le lr, 2b\n\t"                                                                  \
  "sub r9, r9, r12\n\t"                                                            \
  "sub r11, r11, r12\n\t"
#define MCUC_MVE_SUMS_EVEN \
  MCUC_MVE_PRODUCTS("", "], #16") MCUC_MVE_PRODUCTS("a", "], #16")                 \
  "dls lr, r8\n\t"                                                                 \
  "2:\n\t" MCUC_MVE_PRODUCTS("a", "], #16") MCUC_MVE_PRODUCTS("a", "], #16")       \
  "le lr, 2b\n\t"                                                                  \
  "sub r9, r9, r12\n\t"                                                            \
  "sub r11, r11, r12\n\t"

#define MCUC_MVE_TIES        \
  "vshr.s32 q0, q4, #31\n\t" \
  "vshr.s32 q1, q5, #31\n\t" \
  "vadd.i32 q4, q4, q0\n\t"  \
  "vadd.i32 q5, q5, q1\n\t"

/* All pairs of a run, r7: of each all turns, four outputs of both pixels. r9, r11 the pixels; r5
 * the stream; r1, r3 the outputs; r10 turns; r8 pairs of vectors after the first ones; r12 bytes of
 * a pixel; q6, q7 the limits. */
#define MCUC_MVE_BLOCK(sums, ties)   \
  "4:\n\t"                           \
  "ldrd r5, r10, [r7]\n\t"           \
  "1:\n\t" sums                      \
  "vmov d8, r0, r2\n\t"              \
  "vmov d10, r4, r6\n\t" sums        \
  "vmov d9, r0, r2\n\t"              \
  "vmov d11, r4, r6\n\t"             \
  "vldrw.32 q0, [r5], #64\n\t"       \
  "vldrw.32 q1, [r5, #-48]\n\t"      \
  "vldrw.32 q2, [r5, #-32]\n\t"      \
  "vldrw.32 q3, [r5, #-16]\n\t"      \
  "vadd.i32 q4, q4, q0\n\t"          \
  "vadd.i32 q5, q5, q0\n\t"          \
  "vqrdmulh.s32 q4, q4, q1\n\t"      \
  "vqrdmulh.s32 q5, q5, q1\n\t" ties \
  "vadd.i32 q4, q4, q2\n\t"          \
  "vadd.i32 q5, q5, q2\n\t"          \
  "vshl.s32 q4, q4, q3\n\t"          \
  "vshl.s32 q5, q5, q3\n\t"          \
  "vmax.s32 q4, q4, q6\n\t"          \
  "vmax.s32 q5, q5, q6\n\t"          \
  "vmin.s32 q4, q4, q7\n\t"          \
  "vmin.s32 q5, q5, q7\n\t"          \
  "vstrb.32 q4, [r1], #4\n\t"        \
  "vstrb.32 q5, [r3], #4\n\t"        \
  "subs r10, #1\n\t"                 \
  "bne 1b\n\t"                       \
  "ldrd r0, r2, [r7, #8]\n\t"        \
  "ldr r4, [r7, #16]\n\t"            \
  "add r9, r0\n\t"                   \
  "add r11, r0\n\t"                  \
  "add r1, r2\n\t"                   \
  "add r3, r2\n\t"                   \
  "subs r4, #1\n\t"                  \
  "str r4, [r7, #16]\n\t"            \
  "bne 4b\n\t"

#define MCUC_MVE_RUN(sums, ties)                                                                  \
  __asm__ volatile(MCUC_MVE_BLOCK(sums, ties)                                                     \
                   : "+r"(p0), "+r"(p1), "+r"(q0), "+r"(q1)                                       \
                   : "r"(r), "r"(pairs), "r"(bytes), [low] "w"(low), [high] "w"(high)             \
                   : "r0", "r2", "r4", "r5", "r6", "r10", "lr", "cc", "memory", "q0", "q1", "q2", \
                     "q3", "q4", "q5")

/* Runs all pairs of pixels. */
MCUC_INLINED void mcuc_mve_pairs(mcuc_mve_run *run, const mcuc_mve_finish *f)
{
  register const int8_t *p0 __asm__("r9") = run->x0;
  register const int8_t *p1 __asm__("r11") = run->x1;
  register int8_t *q0 __asm__("r1") = run->y0;
  register int8_t *q1 __asm__("r3") = run->y1;
  register mcuc_mve_run *r __asm__("r7") = run;
  register int32_t pairs __asm__("r8") = (run->vectors - 1) >> 1;
  register int32_t bytes __asm__("r12") = run->vectors * MCUC_MVE_BYTES;
  register int32x4_t low __asm__("q6") = vdupq_n_s32(f->low);
  register int32x4_t high __asm__("q7") = vdupq_n_s32(f->high);
  if (f->ties) {
    if (run->vectors == 1) {
      MCUC_MVE_RUN(MCUC_MVE_SUMS_1, MCUC_MVE_TIES);
    } else if (run->vectors == 2) {
      MCUC_MVE_RUN(MCUC_MVE_SUMS_2, MCUC_MVE_TIES);
    } else if (run->vectors & 1) {
      MCUC_MVE_RUN(MCUC_MVE_SUMS_ODD, MCUC_MVE_TIES);
    } else {
      MCUC_MVE_RUN(MCUC_MVE_SUMS_EVEN, MCUC_MVE_TIES);
    }
  } else if (run->vectors == 1) {
    MCUC_MVE_RUN(MCUC_MVE_SUMS_1, "");
  } else if (run->vectors == 2) {
    MCUC_MVE_RUN(MCUC_MVE_SUMS_2, "");
  } else if (run->vectors & 1) {
    MCUC_MVE_RUN(MCUC_MVE_SUMS_ODD, "");
  } else {
    MCUC_MVE_RUN(MCUC_MVE_SUMS_EVEN, "");
  }
}

/* Adds n vectors of products of a pixel with two outputs. Weights: by vector, of one output and of
 * the other. Returns the weights that follow. */
static inline const int8_t *mcuc_mve_dot_1x2(const int8_t *x, const int8_t *w, int32_t n,
                                             int32_t *acc)
{
  int32_t a0 = acc[0], a1 = acc[1];
  __asm__(
      "dls lr, %[n]\n\t"
      "1:\n\t"
      "vldrb.8 q0, [%[x]], #16\n\t"
      "vldrb.8 q1, [%[w]], #16\n\t"
      "vmladava.s8 %[a0], q0, q1\n\t"
      "vldrb.8 q3, [%[w]], #16\n\t"
      "vmladava.s8 %[a1], q0, q3\n\t"
      "le lr, 1b\n\t"
      : [x] "+r"(x), [w] "+r"(w), [a0] "+Te"(a0), [a1] "+Te"(a1)
      : [n] "r"(n)
      : "q0", "q1", "q3", "lr", "memory");
  acc[0] = a0;
  acc[1] = a1;
  return w;
}

#else

static inline const int8_t *mcuc_mve_dot_1x2(const int8_t *x, const int8_t *w, int32_t n,
                                             int32_t *acc)
{
  for (; n > 0; --n) {
    int32_t i;
    for (i = 0; i < MCUC_MVE_BYTES; ++i) {
      acc[0] += x[i] * w[i];
      acc[1] += x[i] * w[i + MCUC_MVE_BYTES];
    }
    x += MCUC_MVE_BYTES;
    w += 2 * MCUC_MVE_BYTES;
  }
  return w;
}

#endif

/* Four outputs of a pixel, the first n of them stored; returns the stream that follows. */
static inline const int8_t *mcuc_mve_block_1x4(const int8_t *x, const int8_t *w, int32_t vectors,
                                               int8_t *y, int32_t n, const mcuc_mve_finish *f)
{
  int32_t acc[4] = {0, 0, 0, 0};
  w = mcuc_mve_dot_1x2(x, w, vectors, acc);
  w = mcuc_mve_dot_1x2(x, w, vectors, acc + 2);
  mcuc_mve_store(acc, (const mcuc_mve_scales *)(const void *)w, f, y, n);
  return w + MCUC_MVE_SCALE_BYTES;
}

#if !MCUC_MVE
/* Runs all pairs of pixels. */
static inline void mcuc_mve_pairs(mcuc_mve_run *run, const mcuc_mve_finish *f)
{
  for (; run->pairs > 0; --run->pairs) {
    const int8_t *w = (const int8_t *)(const void *)run->stream;
    int32_t t;
    for (t = 0; t < run->turns; ++t) {
      (void)mcuc_mve_block_1x4(run->x0, w, run->vectors, run->y0, 4, f);
      w = mcuc_mve_block_1x4(run->x1, w, run->vectors, run->y1, 4, f);
      run->y0 += 4;
      run->y1 += 4;
    }
    run->x0 += run->x_advance;
    run->x1 += run->x_advance;
    run->y0 += run->y_advance;
    run->y1 += run->y_advance;
  }
}
#endif

#endif
