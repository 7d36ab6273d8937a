/* A row shifted to the left as far as its largest element allows.
 *
 * src : [size] int16     dst : the same
 * Bit-exact to mcuc/numerics/audio.py:scale_bits.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void mcuc_signal_s16_s16_auto_scale__c(const void *params, const void *call)
{
  const mcuc_signal_auto_scale_params *p = (const mcuc_signal_auto_scale_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int16_t *src = (const int16_t *)io->src[0];
  int16_t *dst = (int16_t *)io->dst;
  const int32_t factor = 1 << mcuc_signal_headroom(src, p->size);
  int32_t i;

  for (i = 0; i < p->size; ++i) {
    dst[i] = (int16_t)(src[i] * factor);
  }
}
