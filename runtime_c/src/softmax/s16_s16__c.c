/* SOFTMAX over the channels of each pixel, int16; the output has scale 1/32768.
 *
 *   e[c] = exp((x[c] - max) * factor), in steps of 1/32768     y[c] = e[c] * reciprocal(sum of e)
 *
 * src : pixels of `channels` int16
 * dst : pixels of `channels` int16; may be src
 * Up to 65535 channels: the sum stays below 2^31. Bit-exact to mcuc/ops/softmax.py:ref.
 */
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "softmax/softmax.h"

/* Linear interpolation between 513 samples over the range of int16. */
static int32_t mcuc_softmax_s16_look_up(const int16_t *samples, int32_t x)
{
  const int32_t index = 256 + (x >> 7);
  const int32_t slope = samples[index + 1] - samples[index];
  return samples[index] + ((slope * (x & 127) + 64) >> 7);
}

static int32_t mcuc_softmax_s16_clamp(int32_t x)
{
  x = x < -32768 ? -32768 : x;
  return x > 32767 ? 32767 : x;
}

static void mcuc_softmax_s16_pixel(const mcuc_softmax_s16_params *p, const int16_t *src,
                                   int16_t *dst)
{
  int32_t max = -32768;
  uint32_t sum = 0U;
  int32_t reciprocal;
  int32_t headroom;
  int32_t shifted;
  int32_t right;
  int32_t c;

  for (c = 0; c < p->channels; ++c) {
    max = src[c] > max ? src[c] : max;
  }
  for (c = 0; c < p->channels; ++c) {
    const int32_t distance =
        mcuc_multiply_by_quantized_multiplier(src[c] - max, p->multiplier, p->shift);
    /* at most 0: the sum cannot overflow */
    const int32_t e = mcuc_softmax_s16_look_up(p->exp, mcuc_softmax_s16_clamp(distance + 32767));
    dst[c] = (int16_t)e;
    sum += (uint32_t)e;
  }
  headroom = mcuc_count_leading_zeros(sum);
  /* The sum as 1 + a fraction of 16 bits; the table wants the fraction with a sign. */
  shifted = (int32_t)((((uint64_t)sum << (headroom - 1)) + ((uint32_t)1 << 13)) >> 14);
  reciprocal = mcuc_softmax_s16_look_up(
      p->reciprocal, mcuc_softmax_s16_clamp(shifted - ((int32_t)1 << 15) - ((int32_t)1 << 16)));
  right = 31 - headroom;
  for (c = 0; c < p->channels; ++c) {
    const int64_t product = (int64_t)dst[c] * reciprocal + ((int64_t)1 << (right - 1));
    const int32_t y = (int32_t)(product >> right);
    dst[c] = (int16_t)(y > 32767 ? 32767 : y);
  }
}

MCUC_FN void mcuc_softmax_s16_s16__c(const void *params, const void *call)
{
  const mcuc_softmax_s16_params *p = (const mcuc_softmax_s16_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    mcuc_softmax_s16_pixel(p, (const int16_t *)mcuc_at(io->src[0], i * io->src_step[0]),
                           (int16_t *)mcuc_to(io->dst, i * io->dst_step));
  }
}
