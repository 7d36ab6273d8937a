/* MEAN of float32 over any axes, portable C, whole form.
 *
 *   y = (0 + sum over the reduced axes) / count
 *
 * src : the whole tensor, dense f32
 * dst : the kept axes in their order, dense f32
 * The sum goes through the elements as they lie in memory. Bit-exact to mcuc/ops/mean.py:ref.
 */
#include "mean/mean.h"
#include "mcuc/program.h"

/* Sum over the reduced axes of the elements that belong to one result. */
static float mcuc_mean_f32_nd_sum(const float *src, const int32_t *loop)
{
  float sum = 0.0f;
  int32_t i, j, k;
  for (i = 0; i < loop[0]; ++i) {
    for (j = 0; j < loop[2]; ++j) {
      const float *x = src + i * loop[1] + j * loop[3];
      for (k = 0; k < loop[4]; ++k) {
        sum += *x;
        x += loop[5];
      }
    }
  }
  return sum;
}

MCUC_FN void mcuc_mean_f32_f32_nd__c(const void *params, const void *call)
{
  const mcuc_mean_nd_f32_params *p = (const mcuc_mean_nd_f32_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const float *src = (const float *)io->src[0];
  float *dst = (float *)io->dst;
  const int32_t *kept = p->kept;
  int32_t i, j, k;

  for (i = 0; i < kept[0]; ++i) {
    for (j = 0; j < kept[2]; ++j) {
      for (k = 0; k < kept[4]; ++k) {
        const float *x = src + i * kept[1] + j * kept[3] + k * kept[5];
        *dst++ = mcuc_mean_f32_nd_sum(x, p->reduced) / (float)p->count;
      }
    }
  }
}
