/* Sums of products of int16 and int8, four at a time. */
#ifndef MCUC_DOT_S16_H
#define MCUC_DOT_S16_H

#include <stdint.h>

/* Outputs that are summed at once: they share the loads of their input. */
#define MCUC_DOT_S16 4

/* Products whose sum surely fits in 32 bits: each is at most 2^22. */
#define MCUC_DOT_S16_BLOCK 256

/* The same for one output. */
static inline int64_t mcuc_dot_s16_one(int64_t acc, const int16_t *x, const int8_t *w, int32_t n)
{
  while (n > 0) {
    const int32_t block = n < MCUC_DOT_S16_BLOCK ? n : MCUC_DOT_S16_BLOCK;
    int32_t sum = 0;
    int32_t i;
    for (i = 0; i < block; ++i) {
      sum += x[i] * w[i];
    }
    acc += sum;
    x += block;
    w += block;
    n -= block;
  }
  return acc;
}

/* Adds sums of x[i] * w[k * stride + i] over n products to acc[k], for `rows` of MCUC_DOT_S16 rows
 * of weights. */
static inline void mcuc_dot_s16(int64_t *acc, const int16_t *x, const int8_t *w, int32_t stride,
                                int32_t rows, int32_t n)
{
  if (rows < MCUC_DOT_S16) {
    for (; rows > 0; --rows) {
      *acc = mcuc_dot_s16_one(*acc, x, w, n);
      ++acc;
      w += stride;
    }
    return;
  }
  while (n > 0) {
    const int32_t block = n < MCUC_DOT_S16_BLOCK ? n : MCUC_DOT_S16_BLOCK;
    const int8_t *w1 = w + stride;
    const int8_t *w2 = w1 + stride;
    const int8_t *w3 = w2 + stride;
    int32_t a0 = 0;
    int32_t a1 = 0;
    int32_t a2 = 0;
    int32_t a3 = 0;
    int32_t i;
    for (i = 0; i < block; ++i) {
      const int32_t value = x[i];
      a0 += value * w[i];
      a1 += value * w1[i];
      a2 += value * w2[i];
      a3 += value * w3[i];
    }
    acc[0] += a0;
    acc[1] += a1;
    acc[2] += a2;
    acc[3] += a3;
    x += block;
    w += block;
    n -= block;
  }
}

#endif
