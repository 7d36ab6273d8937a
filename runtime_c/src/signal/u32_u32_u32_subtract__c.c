/* The input without the noise, and at least a part of it.
 *
 * src[0] : [size] uint32     src[1] : [size] uint32, the estimate     dst : [size] uint32
 * Bit-exact to mcuc/numerics/audio.py:subtracted.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void mcuc_signal_u32_u32_u32_subtract__c(const void *params, const void *call)
{
  const mcuc_signal_subtraction_params *p = (const mcuc_signal_subtraction_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const uint32_t *src = (const uint32_t *)io->src[0];
  const uint32_t *noise = (const uint32_t *)io->src[1];
  uint32_t *dst = (uint32_t *)io->dst;
  int32_t i;

  for (i = 0; i < p->size; ++i) {
    const uint32_t scaled = src[i] << p->smoothing_bits;
    const uint32_t known = noise[i] < scaled ? noise[i] : scaled;
    const uint32_t kept = (scaled - known) >> p->smoothing_bits;
    const uint32_t least = (uint32_t)(((uint64_t)src[i] * (uint64_t)p->min_signal_remaining) >>
                                      p->spectral_subtraction_bits);
    dst[i] = kept > least ? kept : least;
  }
}
