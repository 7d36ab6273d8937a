/* MEAN over any axes, int16: clamp(rescale(sum of x)), with the division
 * by the number of elements in the multiplier.
 *
 * src : the whole tensor, dense int16
 * dst : the kept axes in their order, dense int16
 * |sum| <= 65535 * 2^15 < 2^31. Bit-exact to mcuc/ops/mean.py:ref.
 */
#include "mean/mean.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

/* Sum over the reduced axes of the elements that belong to one result. */
static int32_t mcuc_mean_s16_nd_sum(const int16_t *src, const int32_t *loop)
{
  int32_t sum = 0;
  int32_t i, j, k;
  for (i = 0; i < loop[0]; ++i) {
    for (j = 0; j < loop[2]; ++j) {
      const int16_t *x = src + i * loop[1] + j * loop[3];
      for (k = 0; k < loop[4]; ++k) {
        sum += *x;
        x += loop[5];
      }
    }
  }
  return sum;
}

MCUC_FN void mcuc_mean_s16_s16_nd__c(const void *params, const void *call)
{
  const mcuc_mean_nd_params *p = (const mcuc_mean_nd_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int16_t *src = (const int16_t *)io->src[0];
  int16_t *dst = (int16_t *)io->dst;
  const int32_t *kept = p->kept;
  const int32_t low = -32768;
  const int32_t high = 32767;
  int32_t i, j, k;

  for (i = 0; i < kept[0]; ++i) {
    for (j = 0; j < kept[2]; ++j) {
      for (k = 0; k < kept[4]; ++k) {
        const int16_t *x = src + i * kept[1] + j * kept[3] + k * kept[5];
        const int32_t sum = p->start + mcuc_mean_s16_nd_sum(x, p->reduced);
        int32_t y = mcuc_multiply_by_quantized_multiplier(sum, p->multiplier, p->shift);
        y = y < low ? low : y;
        y = y > high ? high : y;
        *dst++ = (int16_t)y;
      }
    }
  }
}
