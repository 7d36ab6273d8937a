/* FULLY_CONNECTED with one rounding, multiply-accumulate, pixel form.
 *
 *   y[n][u] = line(bias[u] + sum_k x[n][k] * w[u][k])
 *
 * src : [n][depth] s8     dst : [n][units] s8     no scratch.
 * Blocks of one pixel by four units. Bit-exact to mcuc/ops/fully_connected.py:ref.
 */
#include "fully_connected/fully_connected.h"
#include "mcuc/mac.h"

MCUC_FN void mcuc_fully_connected_s8_s8_s8_line__c_1x4(const void *params, const void *call)
{
  const mcuc_fully_connected_mac_params *p = (const mcuc_fully_connected_mac_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const mcuc_fully_connected_line *l = (const mcuc_fully_connected_line *)(const void *)p->lines;
    const int8_t *w = p->weights;
    int32_t u;
    for (u = 0; u < p->units; u += 4) {
      const int32_t end = p->units - u < 4 ? p->units - u : 4;
      int32_t acc[4] = {0, 0, 0, 0};
      int32_t i;
      w = mcuc_mac_1x4(x, w, p->depth, acc);
      for (i = 0; i < end; ++i) {
        y[u + i] = mcuc_fully_connected_line_at(acc[i], l + i);
      }
      l += 4;
    }
    mcuc_dsp_clamp(y, p->units, p->low, p->high);
    x += c->src_step[0];
    y += c->dst_step;
  }
}
