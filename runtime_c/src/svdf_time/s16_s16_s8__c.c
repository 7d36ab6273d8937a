/* Second half of SVDF, int8 with a state of int16: the state along time, summed up by ranks of
 * filters.
 *
 * src : [units * rank][memory] s16
 * dst : [units] s8
 * Bit-exact to mcuc/ops/svdf_time.py:ref.
 */
#include "mcuc/program.h"
#include "mcuc/requant.h"
#include "svdf_time/svdf_time.h"

MCUC_FN void mcuc_svdf_time_s16_s16_s8__c(const void *params, const void *call)
{
  const mcuc_svdf_time_s16_params *p = (const mcuc_svdf_time_s16_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int16_t *state = (const int16_t *)io->src[0];
  const int16_t *w = p->weights;
  int8_t *dst = (int8_t *)io->dst;
  int32_t u, r, m;

  for (u = 0; u < p->units; ++u) {
    uint32_t total = (uint32_t)p->bias[u];
    int32_t y;
    for (r = 0; r < p->rank; ++r) {
      for (m = 0; m < p->memory; ++m) {
        total += (uint32_t)(*state++ * *w++);
      }
    }
    y = mcuc_multiply_by_quantized_multiplier((int32_t)total, p->multiplier, p->shift);
    y += p->out_offset;
    y = y > 127 ? 127 : y;
    dst[u] = (int8_t)(y < -128 ? -128 : y);
  }
}
