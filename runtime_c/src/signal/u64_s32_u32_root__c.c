/* Rounded square roots of 64 bits, shifted to the right.
 *
 * src[0] : [size] uint64     src[1] : one int32, the shift     dst : [size] uint32
 * Bit-exact to mcuc/numerics/audio.py:roots.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

/* Bit by bit; then the rest decides. The largest root of 32 and of 64 bits is not rounded up. */
static uint32_t mcuc_signal_root(uint64_t x)
{
  const uint64_t limit = x >> 32 == 0U ? 0xFFFFU : 0xFFFFFFFFU;
  uint64_t rest = x;
  uint64_t root = 0U;
  uint64_t bit = (uint64_t)1 << 62;

  for (; bit != 0U; bit >>= 2) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return (uint32_t)(root + (rest > root && root != limit ? 1U : 0U));
}

MCUC_FN void mcuc_signal_u64_s32_u32_root__c(const void *params, const void *call)
{
  const mcuc_signal_root_params *p = (const mcuc_signal_root_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const uint64_t *src = (const uint64_t *)io->src[0];
  const uint32_t shift = (uint32_t)*(const int32_t *)io->src[1] & 31U;
  uint32_t *dst = (uint32_t *)io->dst;
  int32_t i;

  for (i = 0; i < p->size; ++i) {
    dst[i] = mcuc_signal_root(src[i]) >> shift;
  }
}
