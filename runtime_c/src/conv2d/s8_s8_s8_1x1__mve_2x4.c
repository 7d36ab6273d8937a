/* 1x1 convolution with stride 1 and without padding, Helium, pixel form.
 *
 *   y[n][o] = finish(bias[o] + sum_c x[n][c] * w[o][c])
 *
 * src : [n][in] s8     dst : [n][out] s8     scratch : two pixels, unless they are whole vectors.
 * Blocks of two pixels by four outputs. Pixels that are no whole vectors are read with what follows
 * them; the last ones, behind which nothing may be read, are copied. Rows that have been read may
 * be written over: where pixel n + 1 of the output lies on pixel n of the input, pixels go one by
 * one. Bit-exact to mcuc/ops/conv2d.py:ref.
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

/* The pixels, from the first on, that can be taken in pairs as they lie. */
static inline int32_t mcuc_conv2d_mve_plain(const mcuc_conv2d_mve_params *p,
                                            const mcuc_pixel_call *c)
{
  const int8_t *x = (const int8_t *)c->src[0];
  const int8_t *y = (const int8_t *)c->dst + c->dst_step;
  const int32_t spare = p->vectors * MCUC_MVE_BYTES - p->in;
  const int32_t some = c->n - (spare + c->src_step[0] - 1) / c->src_step[0];
  const int32_t last = some - 2;
  int32_t side;
  if (last < 0) {
    return 0;
  }
  /* Between the first pair and the last the distance does not change its sign. */
  side = mcuc_conv2d_mve_apart(p, x, y);
  if (side == 0 ||
      side != mcuc_conv2d_mve_apart(p, x + last * c->src_step[0], y + last * c->dst_step)) {
    return 0;
  }
  return some & ~1;
}

MCUC_FN void mcuc_conv2d_s8_s8_s8_1x1__mve_2x4(const void *params, const void *call)
{
  const mcuc_conv2d_mve_params *p = (const mcuc_conv2d_mve_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  int8_t *const copy = (int8_t *)c->scratch;
  const int32_t x_step = c->src_step[0];
  const int32_t plain = mcuc_conv2d_mve_plain(p, c);
  int32_t n;

  for (n = 0; n < c->n;) {
    const int8_t *x0 = x;
    const int8_t *x1 = x + x_step;
    int32_t two = 1; /* or one, which comes twice */
    if (n >= plain) {
      two = n + 1 < c->n && (p->copied || mcuc_conv2d_mve_apart(p, x, y + c->dst_step) != 0);
      x1 = x + two * x_step;
      if (p->copied) {
        mcuc_mve_copy(copy, x0, p->in);
        mcuc_mve_copy(copy + p->vectors * MCUC_MVE_BYTES, x1, p->in);
        x0 = copy;
        x1 = copy + p->vectors * MCUC_MVE_BYTES;
      }
    }
    mcuc_conv2d_mve_two(p, x0, x1, y, y + two * c->dst_step);
    x += (1 + two) * x_step;
    y += (1 + two) * c->dst_step;
    n += 1 + two;
  }
}
