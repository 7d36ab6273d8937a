/* Real numbers from their spectrum, in 16 bits, a half of them.
 *
 * src : [fft_length / 2 + 1] real and imaginary int16     dst : [fft_length] int16
 * scratch : [fft_length / 2] complex
 * Bit-exact to mcuc/numerics/audio.py:irfft.
 */
#include "mcuc/program.h"
#include "signal/signal_fft.h"

MCUC_FN void mcuc_signal_s16_s16_irfft__c(const void *params, const void *call)
{
  const mcuc_signal_rfft_params *p = (const mcuc_signal_rfft_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t half = p->fft_length / 2;
  const mcuc_signal_complex *src = (const mcuc_signal_complex *)io->src[0];
  const mcuc_signal_complex *last = (const mcuc_signal_complex *)(const void *)p->last_twiddles;
  mcuc_signal_complex *data = (mcuc_signal_complex *)io->dst;
  mcuc_signal_complex *found = (mcuc_signal_complex *)io->scratch;
  mcuc_signal_complex ends;
  int32_t k;

  ends.re = (int16_t)(src[0].re + src[half].re);
  ends.im = (int16_t)(src[0].re - src[half].re);
  found[0] = mcuc_signal_divided(ends, 2);
  for (k = 1; k <= half / 2; ++k) {
    const mcuc_signal_complex mirrored = {src[half - k].re, (int16_t)-src[half - k].im};
    const mcuc_signal_complex a = mcuc_signal_divided(src[k], 2);
    const mcuc_signal_complex b = mcuc_signal_divided(mirrored, 2);
    const mcuc_signal_complex sum = mcuc_signal_sum(a, b, 1);
    const mcuc_signal_complex turned = mcuc_signal_product(mcuc_signal_sum(a, b, -1), last[k - 1]);
    const mcuc_signal_complex back = mcuc_signal_sum(sum, turned, -1);
    found[k] = mcuc_signal_sum(sum, turned, 1);
    found[half - k].re = back.re;
    found[half - k].im = (int16_t)-back.im;
  }
  for (k = 0; k < half; ++k) {
    data[k] = found[p->order[k]];
  }
  mcuc_signal_fft(p, data, half, -1);
}
