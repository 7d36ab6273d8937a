/* Natural logarithms of inputs shifted to the left, times a scale.
 *
 * src : [size] uint32     dst : [size] int16
 * Bit-exact to mcuc/numerics/audio.py:logarithms.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

static int16_t mcuc_signal_logarithm(const mcuc_signal_log_params *p, uint32_t x)
{
  const int32_t whole = mcuc_signal_bits(x) - 1;
  uint32_t fraction, segment, binary, natural;
  int32_t low, bend;

  if (x <= 1U) {
    return 0;
  }
  fraction = x - (1U << whole);
  fraction = whole < 16 ? fraction << (16 - whole) : fraction >> (whole - 16);
  segment = fraction >> 9;
  low = p->table[segment];
  bend = (p->table[segment + 1U] - low) * (int32_t)(fraction - (segment << 9));
  binary = ((uint32_t)whole << 16) + fraction + (uint32_t)(low + (bend >> 16));
  natural = (uint32_t)((45426U * (uint64_t)binary + 32768U) >> 16);
  natural = ((uint32_t)p->output_scale * natural + 32768U) >> 16;
  return (int16_t)(natural < 32767U ? natural : 32767U);
}

MCUC_FN void mcuc_signal_u32_s16_log__c(const void *params, const void *call)
{
  const mcuc_signal_log_params *p = (const mcuc_signal_log_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const uint32_t *src = (const uint32_t *)io->src[0];
  int16_t *dst = (int16_t *)io->dst;
  int32_t i;

  for (i = 0; i < p->size; ++i) {
    dst[i] = mcuc_signal_logarithm(p, src[i] << p->input_correction_bits);
  }
}
