/* Frames added up where they overlap, in order.
 *
 * src[0] : [outer][count][frame]     src[1] : [outer][frame - step], of the frames before
 * dst    : [outer][(count - 1) step + frame], the end of which is to be kept
 * MCUC_ADD(a, b) adds two elements. Bit-exact to mcuc/numerics/audio.py:overlap_add.
 */
#include <string.h>

#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_signal_overlap_add_params *p = (const mcuc_signal_overlap_add_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const MCUC_ELEMENT *src = (const MCUC_ELEMENT *)io->src[0];
  const MCUC_ELEMENT *kept = (const MCUC_ELEMENT *)io->src[1];
  MCUC_ELEMENT *dst = (MCUC_ELEMENT *)io->dst;
  const int32_t before = p->frame - p->step;
  const int32_t outer = p->size / (p->count * p->frame);
  int32_t o, k, i;

  for (o = 0; o < outer; ++o) {
    memcpy(dst, kept, (size_t)before * sizeof *dst);
    memset(dst + before, 0, (size_t)(p->count * p->step) * sizeof *dst);
    for (k = 0; k < p->count; ++k) {
      MCUC_ELEMENT *sum = dst + k * p->step;
      for (i = 0; i < p->frame; ++i) {
        sum[i] = MCUC_ADD(sum[i], src[i]);
      }
      src += p->frame;
    }
    kept += before;
    dst += before + p->count * p->step;
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
#undef MCUC_ADD
