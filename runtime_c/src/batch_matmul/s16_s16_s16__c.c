/* BATCH_MATMUL, int16: dst[b][i][j] = clamp(factor sum_k a[b][i][k] b[b][k][j])
 *
 * src[0], src[1] : matrices, dense, as the strides say
 * dst            : [batch][rows][columns] s16
 * |sum| <= 2^46. Bit-exact to mcuc/ops/batch_matmul.py:ref.
 */
#include "batch_matmul/batch_matmul.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

static int16_t mcuc_batch_matmul_s16(const mcuc_batch_matmul_params *p, int64_t acc)
{
  int32_t y = mcuc_multiply_long_by_reduced(acc, p->multiplier, p->shift);
  y = y > 32767 ? 32767 : y;
  return (int16_t)(y < -32768 ? -32768 : y);
}

MCUC_FN void mcuc_batch_matmul_s16_s16_s16__c(const void *params, const void *call)
{
  const mcuc_batch_matmul_params *p = (const mcuc_batch_matmul_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  int16_t *dst = (int16_t *)io->dst;
  int32_t m, i, j, k;

  for (m = 0; m < p->batch; ++m) {
    const int16_t *row = (const int16_t *)io->src[0] + p->a_start[m];
    const int16_t *matrix = (const int16_t *)io->src[1] + p->b_start[m];
    for (i = 0; i < p->rows; ++i) {
      for (j = 0; j < p->columns; ++j) {
        const int16_t *a = row;
        const int16_t *b = matrix + j * p->b_column;
        int64_t acc = 0;
        for (k = 0; k < p->depth; ++k) {
          acc += (int32_t)*a * *b;
          a += p->a_step;
          b += p->b_step;
        }
        *dst++ = mcuc_batch_matmul_s16(p, acc);
      }
      row += p->a_row;
    }
  }
}
