/* A complex FFT in 16 bits: radix 4 and 2, decimated in time. Rule: mcuc/numerics/audio.py:_fft. */
#ifndef MCUC_SIGNAL_FFT_H
#define MCUC_SIGNAL_FFT_H

#include "signal/signal.h"

typedef struct mcuc_signal_complex {
  int16_t re, im;
} mcuc_signal_complex;

/* x / 2^15, rounded */
static inline int16_t mcuc_signal_rounded(int32_t x)
{
  return (int16_t)((int32_t)((uint32_t)x + (1U << 14)) >> 15);
}

static inline mcuc_signal_complex mcuc_signal_product(mcuc_signal_complex a, mcuc_signal_complex b)
{
  mcuc_signal_complex y;
  y.re = mcuc_signal_rounded((int32_t)a.re * b.re - (int32_t)a.im * b.im);
  y.im = mcuc_signal_rounded(
      (int32_t)((uint32_t)((int32_t)a.re * b.im) + (uint32_t)((int32_t)a.im * b.re)));
  return y;
}

static inline mcuc_signal_complex mcuc_signal_divided(mcuc_signal_complex a, int32_t parts)
{
  const int32_t factor = 32767 / parts;
  mcuc_signal_complex y;
  y.re = mcuc_signal_rounded(a.re * factor);
  y.im = mcuc_signal_rounded(a.im * factor);
  return y;
}

static inline mcuc_signal_complex mcuc_signal_sum(mcuc_signal_complex a, mcuc_signal_complex b,
                                                  int32_t sign)
{
  mcuc_signal_complex y;
  y.re = (int16_t)(a.re + sign * b.re);
  y.im = (int16_t)(a.im + sign * b.im);
  return y;
}

static inline void mcuc_signal_butterfly2(mcuc_signal_complex *x, mcuc_signal_complex turn,
                                          int32_t m)
{
  const mcuc_signal_complex a = mcuc_signal_divided(x[0], 2);
  const mcuc_signal_complex b = mcuc_signal_product(mcuc_signal_divided(x[m], 2), turn);
  x[0] = mcuc_signal_sum(a, b, 1);
  x[m] = mcuc_signal_sum(a, b, -1);
}

/* Of x[0], x[m], x[2 m], x[3 m]; the turns are `step` apart. `way` is -1 for the way back. */
static inline void mcuc_signal_butterfly4(mcuc_signal_complex *x, const mcuc_signal_complex *turns,
                                          int32_t step, int32_t m, int32_t way)
{
  const mcuc_signal_complex a = mcuc_signal_divided(x[0], 4);
  const mcuc_signal_complex b = mcuc_signal_product(mcuc_signal_divided(x[m], 4), turns[step]);
  const mcuc_signal_complex c =
      mcuc_signal_product(mcuc_signal_divided(x[2 * m], 4), turns[2 * step]);
  const mcuc_signal_complex d =
      mcuc_signal_product(mcuc_signal_divided(x[3 * m], 4), turns[3 * step]);
  const mcuc_signal_complex even = mcuc_signal_sum(a, c, 1);
  const mcuc_signal_complex odd = mcuc_signal_sum(a, c, -1);
  const mcuc_signal_complex sum = mcuc_signal_sum(b, d, 1);
  const mcuc_signal_complex rest = mcuc_signal_sum(b, d, -1);
  x[0] = mcuc_signal_sum(even, sum, 1);
  x[2 * m] = mcuc_signal_sum(even, sum, -1);
  x[m].re = (int16_t)(odd.re + way * rest.im);
  x[m].im = (int16_t)(odd.im - way * rest.re);
  x[3 * m].re = (int16_t)(odd.re - way * rest.im);
  x[3 * m].im = (int16_t)(odd.im + way * rest.re);
}

/* In place, of numbers that stand in the order of the first step. */
static inline void mcuc_signal_fft(const mcuc_signal_rfft_params *p, mcuc_signal_complex *data,
                                   int32_t n, int32_t way)
{
  const mcuc_signal_complex *turns = (const mcuc_signal_complex *)(const void *)p->twiddles;
  int32_t m = 1;
  int32_t radix, i, k;

  for (radix = n; radix % 4 == 0; radix /= 4) {
  }
  radix = radix == 2 ? 2 : 4; /* what is left of the factors comes first */
  for (; m < n; m *= radix, radix = 4) {
    if (m > 1) {
      radix = 4;
    }
    for (i = 0; i < n; i += radix * m) {
      for (k = 0; k < m; ++k) {
        const int32_t step = k * (n / (radix * m));
        if (radix == 2) {
          mcuc_signal_butterfly2(data + i + k, turns[step], m);
        } else {
          mcuc_signal_butterfly4(data + i + k, turns, step, m, way);
        }
      }
    }
  }
}

#endif
