/* Per-channel gain control: the input by the gain of its noise, shrunk.
 *
 * src[0] : [size] uint32     src[1] : [size] uint32, the estimate     dst : [size] uint32
 * Bit-exact to mcuc/numerics/audio.py:pcan.
 */
#include "mcuc/program.h"
#include "signal/signal.h"

/* By pieces of second degree, one for each power of two. */
static int16_t mcuc_signal_gain(const int16_t *table, uint32_t x)
{
  const int32_t interval = mcuc_signal_bits(x);
  const int16_t *piece = table + 4 * interval - 6;
  int32_t fraction, result;

  if (x <= 2U) {
    return table[x];
  }
  fraction = (int32_t)((interval < 11 ? x << (11 - interval) : x >> (interval - 11)) & 0x3FFU);
  result = (piece[2] * fraction) >> 5;
  result = (result + piece[1] * 32) * fraction;
  return (int16_t)(((result + (1 << 14)) >> 15) + piece[0]);
}

MCUC_FN void mcuc_signal_u32_u32_u32_pcan__c(const void *params, const void *call)
{
  const mcuc_signal_pcan_params *p = (const mcuc_signal_pcan_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const uint32_t *src = (const uint32_t *)io->src[0];
  const uint32_t *noise = (const uint32_t *)io->src[1];
  uint32_t *dst = (uint32_t *)io->dst;
  int32_t i;

  for (i = 0; i < p->size; ++i) {
    const uint32_t gain = (uint32_t)(int32_t)mcuc_signal_gain(p->gain, noise[i]);
    const uint32_t ratio = (uint32_t)(((uint64_t)src[i] * gain) >> p->snr_shift);
    /* 12 fractional bits become 6: x^2 / 4 below 2, above x - 1 */
    dst[i] = ratio < (2U << 12) ? (ratio * ratio) >> 20 : (ratio >> 6) - (1U << 6);
  }
}
