/* Dot products of int8 on cores with the DSP extension: one or two pixels by two outputs.
 *
 * Weights stand in pairs of outputs (A, B): a half is 256 * A + B for one k, a word the halves of
 * k and k + 2, so that four k are two words, (k, k + 2) and (k + 1, k + 3), which is how SXTB16
 * takes four bytes apart. A product of whole words sums 256 * accA + accB, that of their sign-
 * extended low bytes accB; the packer has proved that 256 * accA fits (mcuc/ops/dsp_tables.py).
 */
#ifndef MCUC_DSP_DOT_H
#define MCUC_DSP_DOT_H

#include "mcuc/dsp.h"

/* both: 256 * accA + accB; b: accB. */
typedef struct mcuc_dot_pair {
  int32_t both, b;
} mcuc_dot_pair;

/* 256 * accA, modulo 2^32 */
static inline int32_t mcuc_dot_difference(mcuc_dot_pair acc)
{
  return (int32_t)((uint32_t)acc.both - (uint32_t)acc.b);
}

/* accA */
static inline int32_t mcuc_dot_high(mcuc_dot_pair acc)
{
  return mcuc_dot_difference(acc) >> 8;
}

/* What follows the weights of a pair in a stream: the second factor is mcuc_dsp_scale's power, or
 * the constant of a line. */
typedef struct mcuc_dot_ends {
  int32_t multiplier_a, factor_a;
  int32_t multiplier_b, factor_b;
} mcuc_dot_ends;

/* Shift of lines; mcuc/ops/dsp_convolution.py. */
#define MCUC_DOT_LINE_SHIFT 2

/* Words of a stream from the weights of a pair to those of the next: the ends, and with what the
 * sums of the next pair start, which is their biases. */
#define MCUC_DOT_GAP 6

/* w: the weights of a pair. */
static inline mcuc_dot_pair mcuc_dot_start(const int32_t *w)
{
  const mcuc_dot_pair acc = {w[-2], w[-1]};
  return acc;
}

/* What is behind a pair's weights. */
static inline const mcuc_dot_ends *mcuc_dot_ends_at(const int32_t *w)
{
  return (const mcuc_dot_ends *)(const void *)w;
}

/* Stores both outputs of a pixel. */
static inline void mcuc_dot_store(mcuc_dot_pair acc, const mcuc_dot_ends *e, int8_t *y,
                                  int32_t offset)
{
  const mcuc_dsp_scale a = {0, e->multiplier_a, e->factor_a};
  const mcuc_dsp_scale b = {0, e->multiplier_b, e->factor_b};
  y[0] = mcuc_dsp_requantize(mcuc_dot_high(acc), &a, offset);
  y[1] = mcuc_dsp_requantize(acc.b, &b, offset);
}

/* Stores the first n <= 2 outputs of a pixel; lines: sums end as lines, else with any shift. */
__attribute__((noinline, unused)) static void mcuc_dot_store_any(mcuc_dot_pair acc,
                                                                 const mcuc_dot_ends *e, int8_t *y,
                                                                 int32_t offset, int32_t lines,
                                                                 int32_t n)
{
  const int32_t a = mcuc_dot_difference(acc);
  if (lines != 0) {
    y[0] = mcuc_dsp_line(a, e->multiplier_a, e->factor_a, 8 + MCUC_DOT_LINE_SHIFT);
  } else {
    const mcuc_dsp_scale scale = {0, e->multiplier_a, e->factor_a};
    y[0] = mcuc_dsp_requantize_rare(a >> 8, &scale, offset);
  }
  if (n < 2) {
    return;
  }
  if (lines != 0) {
    y[1] = mcuc_dsp_line(acc.b, e->multiplier_b, e->factor_b, MCUC_DOT_LINE_SHIFT);
  } else {
    const mcuc_dsp_scale scale = {0, e->multiplier_b, e->factor_b};
    y[1] = mcuc_dsp_requantize_rare(acc.b, &scale, offset);
  }
}

/* One step: four k. `w` is used up. */
#define MCUC_DOT_1_STEP              \
  "ldr %[a], [%[x]], #4\n\t"         \
  "ldr %[q], [%[w]], #8\n\t"         \
  "sxtb16 %[b], %[a]\n\t"            \
  "sxtb16 %[a], %[a], ror #8\n\t"    \
  "smlad %[t], %[b], %[q], %[t]\n\t" \
  "sxtb16 %[q], %[q]\n\t"            \
  "smlad %[u], %[b], %[q], %[u]\n\t" \
  "ldr %[q], [%[w], #-4]\n\t"        \
  "smlad %[t], %[a], %[q], %[t]\n\t" \
  "sxtb16 %[q], %[q]\n\t"            \
  "smlad %[u], %[a], %[q], %[u]\n\t"

#define MCUC_DOT_2_STEP                \
  "ldr %[a], [%[x0]], #4\n\t"          \
  "ldr %[c], [%[x1]], #4\n\t"          \
  "ldr %[q], [%[w]], #8\n\t"           \
  "sxtb16 %[b], %[a]\n\t"              \
  "sxtb16 %[a], %[a], ror #8\n\t"      \
  "sxtb16 %[d], %[c]\n\t"              \
  "sxtb16 %[c], %[c], ror #8\n\t"      \
  "smlad %[t0], %[b], %[q], %[t0]\n\t" \
  "smlad %[t1], %[d], %[q], %[t1]\n\t" \
  "sxtb16 %[q], %[q]\n\t"              \
  "smlad %[u0], %[b], %[q], %[u0]\n\t" \
  "smlad %[u1], %[d], %[q], %[u1]\n\t" \
  "ldr %[q], [%[w], #-4]\n\t"          \
  "smlad %[t0], %[a], %[q], %[t0]\n\t" \
  "smlad %[t1], %[c], %[q], %[t1]\n\t" \
  "sxtb16 %[q], %[q]\n\t"              \
  "smlad %[u0], %[a], %[q], %[u0]\n\t" \
  "smlad %[u1], %[c], %[q], %[u1]\n\t"

/* Two steps per turn; an odd number enters in the middle. */
#define MCUC_DOT_LOOP(step)   \
  "lsrs %[n], %[n], #1\n\t"   \
  "bcc 2f\n\t"                \
  "adds %[n], %[n], #1\n\t"   \
  "b 3f\n\t"                  \
  "2:\n\t" step "3:\n\t" step \
  "subs %[n], %[n], #1\n\t"   \
  "bne 2b\n\t"

/* Adds 4 * n products, n > 0, of one pixel; returns the weights that follow. */
static inline const int32_t *mcuc_dot_1x2(const int8_t *x, const int32_t *w, int32_t n,
                                          mcuc_dot_pair *acc)
{
#if MCUC_DSP_ASM
  uint32_t a, b, q;
  __asm__(MCUC_DOT_LOOP(MCUC_DOT_1_STEP)
          : [x] "+r"(x), [w] "+r"(w), [n] "+r"(n), [t] "+r"(acc->both), [u] "+r"(acc->b),
            [a] "=&r"(a), [b] "=&r"(b), [q] "=&r"(q)
          :
          : "cc", "memory");
#else
  for (; n > 0; --n) {
    const uint32_t word = mcuc_dsp_load(x);
    const uint32_t even = mcuc_dsp_sxtb16(word), odd = mcuc_dsp_sxtb16_ror8(word);
    acc->both = mcuc_dsp_smlad(even, (uint32_t)w[0], acc->both);
    acc->both = mcuc_dsp_smlad(odd, (uint32_t)w[1], acc->both);
    acc->b = mcuc_dsp_smlad(even, mcuc_dsp_sxtb16((uint32_t)w[0]), acc->b);
    acc->b = mcuc_dsp_smlad(odd, mcuc_dsp_sxtb16((uint32_t)w[1]), acc->b);
    x += 4;
    w += 2;
  }
#endif
  return w;
}

/* As mcuc_dot_1x2, of two pixels. */
static inline const int32_t *mcuc_dot_2x2(const int8_t *x0, const int8_t *x1, const int32_t *w,
                                          int32_t n, mcuc_dot_pair *acc0, mcuc_dot_pair *acc1)
{
#if MCUC_DSP_ASM
  uint32_t a, b, c, d, q;
  __asm__(MCUC_DOT_LOOP(MCUC_DOT_2_STEP)
          : [x0] "+r"(x0), [x1] "+r"(x1), [w] "+r"(w), [n] "+r"(n), [t0] "+r"(acc0->both),
            [u0] "+r"(acc0->b), [t1] "+r"(acc1->both), [u1] "+r"(acc1->b), [a] "=&r"(a),
            [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [q] "=&r"(q)
          :
          : "cc", "memory");
  return w;
#else
  (void)mcuc_dot_1x2(x0, w, n, acc0);
  return mcuc_dot_1x2(x1, w, n, acc1);
#endif
}

#define MCUC_DOT_4_HALF(x, w) \
  "smlad %[t0], " x           \
  ", %[q], %[t0]\n\t"         \
  "sxtb16 %[q], %[q]\n\t"     \
  "smlad %[u0], " x           \
  ", %[q], %[u0]\n\t"         \
  "ldr %[q], " w              \
  "\n\t"                      \
  "smlad %[t1], " x           \
  ", %[q], %[t1]\n\t"         \
  "sxtb16 %[q], %[q]\n\t"     \
  "smlad %[u1], " x ", %[q], %[u1]\n\t"

#define MCUC_DOT_4_STEP                            \
  "ldr %[a], [%[x]], #4\n\t"                       \
  "ldr %[q], [%[w]], #8\n\t"                       \
  "sxtb16 %[b], %[a]\n\t"                          \
  "sxtb16 %[a], %[a], ror #8\n\t" MCUC_DOT_4_HALF( \
      "%[b]", "[%[v]], #8") "ldr %[q], [%[w], #-4]\n\t" MCUC_DOT_4_HALF("%[a]", "[%[v], #-4]")

/* As mcuc_dot_1x2, with two pairs of outputs: weights w, and those that follow after `gap` words.
 */
static inline const int32_t *mcuc_dot_1x4(const int8_t *x, const int32_t *w, int32_t n, int32_t gap,
                                          mcuc_dot_pair *acc0, mcuc_dot_pair *acc1)
{
  const int32_t *v = w + 2 * n + gap;
#if MCUC_DSP_ASM
  uint32_t a, b, q;
  __asm__(MCUC_DOT_LOOP(MCUC_DOT_4_STEP)
          : [x] "+r"(x), [w] "+r"(w), [v] "+r"(v), [n] "+r"(n), [t0] "+r"(acc0->both),
            [u0] "+r"(acc0->b), [t1] "+r"(acc1->both), [u1] "+r"(acc1->b), [a] "=&r"(a),
            [b] "=&r"(b), [q] "=&r"(q)
          :
          : "cc", "memory");
  return v;
#else
  (void)mcuc_dot_1x2(x, w, n, acc0);
  return mcuc_dot_1x2(x, v, n, acc1);
#endif
}

#endif
