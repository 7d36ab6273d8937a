/* How far to the left a row may be shifted.
 *
 * src : [size] int16     dst : one int32
 * Bit-exact to mcuc/numerics/audio.py:scale_bits.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void mcuc_signal_s16_s32_scale_bits__c(const void *params, const void *call)
{
  const mcuc_signal_scale_bits_params *p = (const mcuc_signal_scale_bits_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;

  *(int32_t *)io->dst = mcuc_signal_headroom((const int16_t *)io->src[0], p->size);
}
