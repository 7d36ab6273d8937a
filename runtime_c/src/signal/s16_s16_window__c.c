/* A window: dst = clamp(x window >> shift).
 *
 * src : [..][width] int16     dst : the same
 * Bit-exact to mcuc/numerics/audio.py:window.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void mcuc_signal_s16_s16_window__c(const void *params, const void *call)
{
  const mcuc_signal_window_params *p = (const mcuc_signal_window_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int16_t *src = (const int16_t *)io->src[0];
  int16_t *dst = (int16_t *)io->dst;
  int32_t i;

  for (i = 0; i < p->size; ++i) {
    int32_t y = ((int32_t)src[i] * p->window[i % p->width]) >> p->shift;
    y = y > 32767 ? 32767 : y;
    dst[i] = (int16_t)(y < -32768 ? -32768 : y);
  }
}
