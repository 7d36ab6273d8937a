/* FULLY_CONNECTED over the rows of a map, DSP extension, fold form.
 *
 *   y[u] = line(bias[u] + sum_row sum_k x[row][k] * w[row][u][k])
 *
 * src : one row, [depth] s8     dst : [units] s8
 * Blocks of one row by four units. Bit-exact to mcuc/ops/fully_connected_rows.py:ref.
 */
#include "fully_connected_rows/fully_connected_rows.h"
#include "fully_connected/fully_connected_dsp.h"

MCUC_FN void mcuc_fully_connected_rows_s8_s8_s8__dsp_1x4(const void *params, const void *call)
{
  const mcuc_fully_connected_rows_params *p = (const mcuc_fully_connected_rows_params *)params;
  const mcuc_fold_call *c = (const mcuc_fold_call *)call;
  int32_t *acc = (int32_t *)c->acc;

  if (c->phase == MCUC_FOLD_INIT) {
    mcuc_fully_connected_rows_init(p, acc);
  } else if (c->phase == MCUC_FOLD_STEP) {
    const int32_t *w = (const int32_t *)mcuc_fully_connected_rows_next(p, acc);
    const int8_t *x = (const int8_t *)c->src;
    int32_t u;
    for (u = 0; u < p->units; u += 4) {
      mcuc_dot_pair first = {0, 0}, second = {0, 0};
      w = mcuc_fully_connected_dot_dsp(x, w, p->depth / 4, &first, &second);
      acc[u] += mcuc_dot_high(first);
      acc[u + 1] += first.b;
      acc[u + 2] += mcuc_dot_high(second);
      acc[u + 3] += second.b;
    }
  } else {
    mcuc_fully_connected_rows_finish(p, acc, (int8_t *)c->dst);
  }
}
