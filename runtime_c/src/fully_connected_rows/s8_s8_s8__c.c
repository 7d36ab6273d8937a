/* FULLY_CONNECTED over the rows of a map, multiply-accumulate, fold form.
 *
 *   y[u] = line(bias[u] + sum_row sum_k x[row][k] * w[row][u][k])
 *
 * src : one row, [depth] s8     dst : [units] s8
 * Blocks of one row by four units. Bit-exact to mcuc/ops/fully_connected_rows.py:ref.
 */
#include "fully_connected_rows/fully_connected_rows.h"
#include "mcuc/mac.h"

MCUC_FN void mcuc_fully_connected_rows_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_fully_connected_rows_params *p = (const mcuc_fully_connected_rows_params *)params;
  const mcuc_fold_call *c = (const mcuc_fold_call *)call;
  int32_t *acc = (int32_t *)c->acc;

  if (c->phase == MCUC_FOLD_INIT) {
    mcuc_fully_connected_rows_init(p, acc);
  } else if (c->phase == MCUC_FOLD_STEP) {
    const int8_t *w = (const int8_t *)mcuc_fully_connected_rows_next(p, acc);
    const int8_t *x = (const int8_t *)c->src;
    int32_t u;
    for (u = 0; u < p->units; u += 4) {
      w = mcuc_mac_1x4(x, w, p->depth, acc + u);
    }
  } else {
    mcuc_fully_connected_rows_finish(p, acc, (int8_t *)c->dst);
  }
}
