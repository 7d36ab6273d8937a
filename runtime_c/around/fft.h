/* Fourier transform of real numbers, in place: n real numbers by a complex transform of n / 2.
 *
 * Radix 2, decimation in time, float32, every operation in the order in which it is written. The
 * factors exp(-2 pi i k / n), k < n / 2, are a table of pairs made on the host.
 */
#ifndef MCUC_FFT_H
#define MCUC_FFT_H

#include <stdint.h>

/* Order of the bits of i turned round: pairs that belong to each other are exchanged. */
static inline void mcuc_fft_reverse(float *x, int32_t n)
{
  int32_t i, bit;
  int32_t j = 0;
  for (i = 1; i < n; ++i) {
    for (bit = n >> 1; (j & bit) != 0; bit >>= 1) {
      j ^= bit;
    }
    j |= bit;
    if (i < j) {
      const float re = x[2 * i];
      const float im = x[2 * i + 1];
      x[2 * i] = x[2 * j];
      x[2 * i + 1] = x[2 * j + 1];
      x[2 * j] = re;
      x[2 * j + 1] = im;
    }
  }
}

/* The first two steps together, for four complex numbers: their factors are 1 and -i. */
static inline void mcuc_fft_four(float *x)
{
  const float sum0_re = x[0] + x[2];
  const float sum0_im = x[1] + x[3];
  const float rest0_re = x[0] - x[2];
  const float rest0_im = x[1] - x[3];
  const float sum1_re = x[4] + x[6];
  const float sum1_im = x[5] + x[7];
  const float rest1_re = x[4] - x[6];
  const float rest1_im = x[5] - x[7];
  x[0] = sum0_re + sum1_re;
  x[1] = sum0_im + sum1_im;
  x[2] = rest0_re + rest1_im;
  x[3] = rest0_im - rest1_re;
  x[4] = sum0_re - sum1_re;
  x[5] = sum0_im - sum1_im;
  x[6] = rest0_re - rest1_im;
  x[7] = rest0_im + rest1_re;
}

/* x: n complex numbers, n a power of two from 4 on; factors: exp(-2 pi i k / (n * spread)) in
 * pairs. */
static inline void mcuc_fft_complex(float *x, int32_t n, const float *factors, int32_t spread)
{
  int32_t half, start, k;
  mcuc_fft_reverse(x, n);
  for (start = 0; start < n; start += 4) {
    mcuc_fft_four(x + 2 * start);
  }
  for (half = 4; half < n; half *= 2) {
    const int32_t step = 2 * spread * (n / (2 * half));
    for (start = 0; start < n; start += 2 * half) {
      for (k = 0; k < half; ++k) {
        float *const a = x + 2 * (start + k);
        float *const b = a + 2 * half;
        const float wr = factors[k * step];
        const float wi = factors[k * step + 1];
        const float re = b[0] * wr - b[1] * wi;
        const float im = b[0] * wi + b[1] * wr;
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] = a[0] + re;
        a[1] = a[1] + im;
      }
    }
  }
}

/* x: [n + 2], of which the first n are the real numbers, n >= 8 a power of two; afterwards n / 2 +
 * 1 complex numbers in pairs. factors: [n / 2] pairs. */
static inline void mcuc_fft_real(float *x, int32_t n, const float *factors)
{
  const int32_t half = n / 2;
  int32_t k;
  mcuc_fft_complex(x, half, factors, 2);
  x[n] = x[0] - x[1];
  x[n + 1] = 0.0f;
  x[0] = x[0] + x[1];
  x[1] = 0.0f;
  for (k = 1; k <= half / 2; ++k) {
    float *const a = x + 2 * k;
    float *const b = x + 2 * (half - k);
    /* of the even and of the odd numbers */
    const float even_re = 0.5f * (a[0] + b[0]);
    const float even_im = 0.5f * (a[1] - b[1]);
    const float odd_re = 0.5f * (a[1] + b[1]);
    const float odd_im = 0.5f * (b[0] - a[0]);
    const float wr = factors[2 * k];
    const float wi = factors[2 * k + 1];
    const float re = odd_re * wr - odd_im * wi;
    const float im = odd_re * wi + odd_im * wr;
    a[0] = even_re + re;
    a[1] = even_im + im;
    b[0] = even_re - re;
    b[1] = im - even_im;
  }
}

#endif
