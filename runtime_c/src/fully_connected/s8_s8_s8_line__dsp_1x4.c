/* FULLY_CONNECTED with one rounding, DSP extension, pixel form.
 *
 *   y[n][u] = line(bias[u] + sum_k x[n][k] * w[u][k])
 *
 * src : [n][depth] s8     dst : [n][units] s8
 * scratch : whole words of a depth, where it is no multiple of 4; else none.
 * Blocks of one pixel by four units. Bit-exact to mcuc/ops/fully_connected.py:ref.
 */
#include "fully_connected/fully_connected.h"
#include "fully_connected/fully_connected_dsp.h"

/* The last n < 4 units. */
static inline void mcuc_fully_connected_line_few(int8_t *y, int32_t n, mcuc_dot_pair first,
                                                 mcuc_dot_pair second,
                                                 const mcuc_fully_connected_line *l)
{
  y[0] = mcuc_fully_connected_line_at(mcuc_dot_high(first), &l[0]);
  if (n > 1) {
    y[1] = mcuc_fully_connected_line_at(first.b, &l[1]);
  }
  if (n > 2) {
    y[2] = mcuc_fully_connected_line_at(mcuc_dot_high(second), &l[2]);
  }
}

MCUC_FN void mcuc_fully_connected_s8_s8_s8_line__dsp_1x4(const void *params, const void *call)
{
  const mcuc_fully_connected_dsp_params *p = (const mcuc_fully_connected_dsp_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *src = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const mcuc_fully_connected_line *l = (const mcuc_fully_connected_line *)(const void *)p->lines;
    const int32_t *w = p->weights;
    const int8_t *x = src;
    int32_t u;
    if ((p->depth & 3) != 0) {
      mcuc_dsp_copy((int8_t *)c->scratch, src, p->depth);
      x = (const int8_t *)c->scratch;
    }
    for (u = 0; u + 4 <= p->units; u += 4) {
      mcuc_dot_pair first = {0, 0}, second = {0, 0};
      w = mcuc_fully_connected_dot_dsp(x, w, p->words, &first, &second);
      y[u] = mcuc_fully_connected_line_at(mcuc_dot_high(first), &l[0]);
      y[u + 1] = mcuc_fully_connected_line_at(first.b, &l[1]);
      y[u + 2] = mcuc_fully_connected_line_at(mcuc_dot_high(second), &l[2]);
      y[u + 3] = mcuc_fully_connected_line_at(second.b, &l[3]);
      l += 4;
    }
    if (u < p->units) {
      mcuc_dot_pair first = {0, 0}, second = {0, 0};
      (void)mcuc_fully_connected_dot_dsp(x, w, p->words, &first, &second);
      mcuc_fully_connected_line_few(y + u, p->units - u, first, second, l);
    }
    mcuc_dsp_clamp(y, p->units, p->low, p->high);
    src += c->src_step[0];
    y += c->dst_step;
  }
}
