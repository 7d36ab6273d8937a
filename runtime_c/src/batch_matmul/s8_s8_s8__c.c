/* BATCH_MATMUL, int8: dst[b][i][j] = clamp(factor sum_k (a[b][i][k] - za) (b[b][k][j] - zb) + zo)
 *
 * src[0], src[1] : matrices, dense, as the strides say
 * dst            : [batch][rows][columns] s8
 * |sum| < 2^31. Bit-exact to mcuc/ops/batch_matmul.py:ref.
 */
#include "batch_matmul/batch_matmul.h"
#include "mcuc/program.h"
#include "mcuc/requant.h"

static int8_t mcuc_batch_matmul_s8(const mcuc_batch_matmul_params *p, int32_t acc)
{
  int32_t y = mcuc_multiply_by_quantized_multiplier(acc, p->multiplier, p->shift) + p->out_offset;
  y = y > 127 ? 127 : y;
  return (int8_t)(y < -128 ? -128 : y);
}

MCUC_FN void mcuc_batch_matmul_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_batch_matmul_params *p = (const mcuc_batch_matmul_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  int8_t *dst = (int8_t *)io->dst;
  int32_t m, i, j, k;

  for (m = 0; m < p->batch; ++m) {
    const int8_t *row = (const int8_t *)io->src[0] + p->a_start[m];
    const int8_t *matrix = (const int8_t *)io->src[1] + p->b_start[m];
    for (i = 0; i < p->rows; ++i) {
      for (j = 0; j < p->columns; ++j) {
        const int8_t *a = row;
        const int8_t *b = matrix + j * p->b_column;
        int32_t acc = 0;
        for (k = 0; k < p->depth; ++k) {
          acc += (*a - p->a_zero) * (*b - p->b_zero);
          a += p->a_step;
          b += p->b_step;
        }
        *dst++ = mcuc_batch_matmul_s8(p, acc);
      }
      row += p->a_row;
    }
  }
}
