/* BATCH_MATMUL, float32: dst[b][i][j] = sum_k a[b][i][k] b[b][k][j], k ascending
 *
 * src[0], src[1] : matrices, dense, as the strides say
 * dst            : [batch][rows][columns] f32
 * Bit-exact to mcuc/ops/batch_matmul.py:ref.
 */
#include "batch_matmul/batch_matmul.h"
#include "mcuc/program.h"

MCUC_FN void mcuc_batch_matmul_f32_f32_f32__c(const void *params, const void *call)
{
  const mcuc_batch_matmul_params *p = (const mcuc_batch_matmul_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  float *dst = (float *)io->dst;
  int32_t m, i, j, k;

  for (m = 0; m < p->batch; ++m) {
    const float *row = (const float *)io->src[0] + p->a_start[m];
    const float *matrix = (const float *)io->src[1] + p->b_start[m];
    for (i = 0; i < p->rows; ++i) {
      for (j = 0; j < p->columns; ++j) {
        const float *a = row;
        const float *b = matrix + j * p->b_column;
        float acc = 0.0f;
        for (k = 0; k < p->depth; ++k) {
          acc += *a * *b;
          a += p->a_step;
          b += p->b_step;
        }
        *dst++ = acc;
      }
      row += p->a_row;
    }
  }
}
