/* A filter bank: each frequency counts for two neighbouring channels.
 *
 * src : [size] uint32     dst : [num_channels] uint64
 * Bit-exact to mcuc/numerics/audio.py:filter_bank.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

MCUC_FN void mcuc_signal_u32_u64_filter_bank__c(const void *params, const void *call)
{
  const mcuc_signal_filter_bank_params *p = (const mcuc_signal_filter_bank_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const uint32_t *src = (const uint32_t *)io->src[0];
  uint64_t *dst = (uint64_t *)io->dst;
  uint64_t sum = 0U;
  int32_t i, k;

  for (i = 0; i <= p->num_channels; ++i) {
    const uint32_t *x = src + p->frequencies[i];
    const int32_t start = p->starts[i];
    uint64_t next = 0U;
    for (k = 0; k < p->widths[i]; ++k) {
      sum += (uint64_t)x[k] * (uint64_t)p->weights[start + k];
      next += (uint64_t)x[k] * (uint64_t)p->unweights[start + k];
    }
    if (i > 0) { /* the first sum belongs to no channel */
      dst[i - 1] = sum;
    }
    sum = next;
  }
}
