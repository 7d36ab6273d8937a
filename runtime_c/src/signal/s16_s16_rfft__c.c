/* Spectrum of real numbers, in 16 bits, a fft_length-th of it: radix 4 and 2, decimated in time.
 *
 * src : [size] int16, zeros behind it     dst : [fft_length / 2 + 1] real and imaginary int16
 * scratch : [fft_length / 2] complex
 * Bit-exact to mcuc/numerics/audio.py:rfft.
 */
#include "mcuc/program.h"
#include "signal/signal_fft.h"

MCUC_FN void mcuc_signal_s16_s16_rfft__c(const void *params, const void *call)
{
  const mcuc_signal_rfft_params *p = (const mcuc_signal_rfft_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t half = p->fft_length / 2;
  const int16_t *src = (const int16_t *)io->src[0];
  mcuc_signal_complex *data = (mcuc_signal_complex *)io->scratch;
  mcuc_signal_complex *dst = (mcuc_signal_complex *)io->dst;
  const mcuc_signal_complex *last = (const mcuc_signal_complex *)(const void *)p->last_twiddles;
  mcuc_signal_complex first;
  int32_t k;

  for (k = 0; k < half; ++k) {
    const int32_t at = 2 * p->order[k];
    data[k].re = at < p->size ? src[at] : 0;
    data[k].im = at + 1 < p->size ? src[at + 1] : 0;
  }
  mcuc_signal_fft(p, data, half, 1);

  first = mcuc_signal_divided(data[0], 2);
  dst[0].re = (int16_t)(first.re + first.im);
  dst[half].re = (int16_t)(first.re - first.im);
  dst[0].im = 0;
  dst[half].im = 0;
  for (k = 1; k <= half / 2; ++k) {
    const mcuc_signal_complex mirrored = {data[half - k].re, (int16_t)-data[half - k].im};
    const mcuc_signal_complex a = mcuc_signal_divided(data[k], 2);
    const mcuc_signal_complex b = mcuc_signal_divided(mirrored, 2);
    const mcuc_signal_complex sum = mcuc_signal_sum(a, b, 1);
    const mcuc_signal_complex turned = mcuc_signal_product(mcuc_signal_sum(a, b, -1), last[k - 1]);
    dst[k].re = (int16_t)((sum.re + turned.re) >> 1);
    dst[k].im = (int16_t)((sum.im + turned.im) >> 1);
    dst[half - k].re = (int16_t)((sum.re - turned.re) >> 1);
    dst[half - k].im = (int16_t)((turned.im - sum.im) >> 1);
  }
}
