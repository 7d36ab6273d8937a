/* FULLY_CONNECTED with one rounding, DSP extension, pixel form.
 *
 *   y[n][u] = line(bias[u] + sum_k x[n][k] * w[u][k])
 *
 * src : [n][depth] s8     dst : [n][units] s8
 * scratch : whole words of a depth, where it is no multiple of 4; else none.
 * Blocks of one pixel by six units, then by two. Bit-exact to mcuc/ops/fully_connected.py:ref.
 */
#include "fully_connected/fully_connected_six.h"

MCUC_FN void mcuc_fully_connected_s8_s8_s8_line__dsp_1x6(const void *params, const void *call)
{
  const mcuc_fully_connected_dsp_params *p = (const mcuc_fully_connected_dsp_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *src = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const int32_t *w = p->stream;
    const int8_t *x = src;
    int32_t u;
    if ((p->depth & 3) != 0) {
      mcuc_dsp_copy((int8_t *)c->scratch, src, p->depth);
      x = (const int8_t *)c->scratch;
    }
    if (p->sixes > 0) {
      w = mcuc_six_units(x, w, p->words, y, p->sixes);
    }
    for (u = 6 * p->sixes; u < p->units; u += 2) {
      mcuc_dot_pair acc = {*w, *w};
      w = mcuc_dot_1x2(x, w + 1, p->words, &acc);
      w = mcuc_six_store(acc, w, y + u, p->units - u);
    }
    mcuc_dsp_clamp(y, p->units, p->low, p->high);
    src += c->src_step[0];
    y += c->dst_step;
  }
}
