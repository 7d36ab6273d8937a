/* Estimate of the noise, with an input taken in.
 *
 * src[0] : [size] uint32     src[1], dst : [size] uint32, the estimate before and after
 * Bit-exact to mcuc/numerics/audio.py:noise.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void mcuc_signal_u32_u32_u32_noise__c(const void *params, const void *call)
{
  const mcuc_signal_subtraction_params *p = (const mcuc_signal_subtraction_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const uint32_t *src = (const uint32_t *)io->src[0];
  const uint32_t *old = (const uint32_t *)io->src[1];
  uint32_t *dst = (uint32_t *)io->dst;
  int32_t i;

  for (i = 0; i < p->size; ++i) {
    const int32_t now = i & 1 ? p->alternate_smoothing : p->smoothing;
    const int32_t before = i & 1 ? p->alternate_one_minus_smoothing : p->one_minus_smoothing;
    const uint32_t scaled = src[i] << p->smoothing_bits;
    const uint64_t sum = (uint64_t)scaled * (uint64_t)now + (uint64_t)old[i] * (uint64_t)before;
    const uint32_t estimate = (uint32_t)(sum >> p->spectral_subtraction_bits);
    dst[i] = p->clamping && estimate > scaled ? scaled : estimate;
  }
}
