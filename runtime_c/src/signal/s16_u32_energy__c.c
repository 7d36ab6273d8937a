/* Squares of the magnitudes of a range of frequencies, 0 elsewhere.
 *
 * src : [size / 2] real and imaginary int16     dst : [size / 2] uint32
 * Bit-exact to mcuc/numerics/audio.py:energy.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void mcuc_signal_s16_u32_energy__c(const void *params, const void *call)
{
  const mcuc_signal_energy_params *p = (const mcuc_signal_energy_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int16_t *src = (const int16_t *)io->src[0];
  uint32_t *dst = (uint32_t *)io->dst;
  int32_t i;

  for (i = 0; i < p->size / 2; ++i) {
    const int32_t re = src[2 * i];
    const int32_t im = src[2 * i + 1];
    const int32_t inside = i >= p->start_index && i < p->end_index;
    dst[i] = inside ? (uint32_t)(re * re) + (uint32_t)(im * im) : 0U;
  }
}
