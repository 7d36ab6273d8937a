/* 1x1 convolution with stride 1 and without padding, Helium, pixel form.
 *
 *   y[n][o] = finish(bias[o] + sum_c x[n][c] * w[o][c])
 *
 * src : [n][in] s8     dst : [n][out] s8     scratch : two pixels, unless they are whole vectors.
 * Blocks of three pixels by four outputs. Pixels that are no whole vectors are read with what
 * follows them; the last ones, behind which nothing may be read, are copied. Rows that have been
 * read may be written over: where pixel n + 1 of the output lies on pixel n of the input, pixels go
 * one by one. Bit-exact to mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_mve.h"

/* Whether an output pixel at y, and all of it, is apart from an input pixel at x. */
static inline int32_t mcuc_conv2d_mve_apart(const mcuc_conv2d_mve_params *p, const int8_t *x,
                                            const int8_t *y)
{
  return (uintptr_t)y + (uintptr_t)p->out <= (uintptr_t)x  ? -1
         : (uintptr_t)y >= (uintptr_t)x + (uintptr_t)p->in ? 1
                                                           : 0;
}

/* The pixels, from the first on, that can be taken in threes as they lie. */
static inline int32_t mcuc_conv2d_mve_plain(const mcuc_conv2d_mve_params *p,
                                            const mcuc_pixel_call *c)
{
  const int8_t *x = (const int8_t *)c->src[0];
  const int8_t *y = (const int8_t *)c->dst;
  const int32_t spare = p->vectors * MCUC_MVE_BYTES - p->in;
  const int32_t some = c->n - (spare + c->src_step[0] - 1) / c->src_step[0];
  const int32_t last = some - 2;
  const int32_t x_last = last * c->src_step[0], y_last = last * c->dst_step;
  int32_t i, side;
  if (last < 0) {
    return 0;
  }
  /* Between the first pixels and the last the distance does not change its sign. */
  side = mcuc_conv2d_mve_apart(p, x, y + c->dst_step);
  for (i = 1; i <= 2; ++i) {
    y += c->dst_step;
    if (side == 0 || side != mcuc_conv2d_mve_apart(p, x, y) ||
        side != mcuc_conv2d_mve_apart(p, x + x_last, y + y_last)) {
      return 0;
    }
  }
  return some;
}

MCUC_FN void mcuc_conv2d_s8_s8_s8_1x1__mve_3x4(const void *params, const void *call)
{
  const mcuc_conv2d_mve_params *p = (const mcuc_conv2d_mve_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  int8_t *const copy = (int8_t *)c->scratch;
  const int32_t plain = mcuc_conv2d_mve_plain(p, c);
  mcuc_conv2d_mve_row row = {(const int8_t *)c->src[0], c->src_step[0], (int8_t *)c->dst,
                             c->dst_step, plain};
  int32_t n = plain;

  if (plain > 0) {
    mcuc_conv2d_mve_windows(p, &row);
  }
  while (n < c->n) { /* two, or one */
    const int8_t *x = (const int8_t *)c->src[0] + n * c->src_step[0];
    row.x = x;
    row.y = (int8_t *)c->dst + n * c->dst_step;
    row.n = 1;
    if (n + 1 < c->n && (p->copied || mcuc_conv2d_mve_apart(p, x, row.y + c->dst_step) != 0)) {
      row.n = 2;
    }
    if (p->copied) {
      row.x = copy;
      row.x_step = p->vectors * MCUC_MVE_BYTES;
      mcuc_mve_copy(copy, x, p->in);
      mcuc_mve_copy(copy + row.x_step, x + (row.n - 1) * c->src_step[0], p->in);
    }
    mcuc_conv2d_mve_windows(p, &row);
    n += row.n;
  }
}
