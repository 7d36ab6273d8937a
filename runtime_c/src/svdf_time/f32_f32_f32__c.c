/* Second half of SVDF, float32: the state along time, summed up by ranks of filters.
 *
 * src : [units * rank][memory] f32
 * dst : [units] f32
 * Bit-exact to mcuc/ops/svdf_time.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "svdf_time/svdf_time.h"

MCUC_FN void mcuc_svdf_time_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_svdf_time_f32_params *p = (const mcuc_svdf_time_f32_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const float *state = (const float *)io->src[0];
  const float *w = p->weights;
  float *dst = (float *)io->dst;
  int32_t u, r, m;

  for (u = 0; u < p->units; ++u) {
    float total = p->bias[u];
    for (r = 0; r < p->rank; ++r) {
      float sum = 0.0f;
      for (m = 0; m < p->memory; ++m) {
        sum += *state++ * *w++;
      }
      total += sum;
    }
    dst[u] = mcuc_clamp_f32(total, p->low, p->high);
  }
}
