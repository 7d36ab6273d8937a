/* Frames added up where they overlap, int16, saturated with every addition.
 *
 * src[0] : [outer][count][frame]     src[1] : [outer][frame - step], of the frames before
 * dst    : [outer][(count - 1) step + frame], the end of which is to be kept
 * Bit-exact to mcuc/numerics/audio.py:overlap_add.
 */
#include <string.h>

#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void mcuc_signal_s16_s16_s16_overlap_add__c(const void *params, const void *call)
{
  const mcuc_signal_overlap_add_params *p = (const mcuc_signal_overlap_add_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int16_t *src = (const int16_t *)io->src[0];
  const int16_t *kept = (const int16_t *)io->src[1];
  int16_t *dst = (int16_t *)io->dst;
  const int32_t before = p->frame - p->step;
  const int32_t outer = p->size / (p->count * p->frame);
  int32_t o, k, i;

  for (o = 0; o < outer; ++o) {
    memcpy(dst, kept, (size_t)before * sizeof *dst);
    memset(dst + before, 0, (size_t)(p->count * p->step) * sizeof *dst);
    for (k = 0; k < p->count; ++k) {
      int16_t *sum = dst + k * p->step;
      for (i = 0; i < p->frame; ++i) {
        const int32_t y = (int32_t)sum[i] + src[i];
        sum[i] = (int16_t)(y > 32767 ? 32767 : (y < -32768 ? -32768 : y));
      }
      src += p->frame;
    }
    kept += before;
    dst += before + p->count * p->step;
  }
}
