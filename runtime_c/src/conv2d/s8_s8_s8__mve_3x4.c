/* Convolution with one group, Helium, window form with edges.
 *
 *   y[n][o] = finish(bias[o] + sum_ijc x[i][n * stride_w + j * dilation_w][c] * w[o][i][j][c])
 *
 * rows : kernel_h rows of s8 pixels     dst : [n][out] s8     scratch : windows.
 * Windows are copied to scratch, with padding where they reach outside the map, unless they are
 * pixels of whole vectors. Blocks of three pixels by four outputs. Bit-exact to
 * mcuc/ops/conv2d.py:ref.
 */
#include "conv2d/conv2d_mve.h"

/* Where in the kernel columns [first, end) of the map begin and end. */
static inline int32_t mcuc_conv2d_mve_inside(int32_t column, int32_t dilation, int32_t kernel)
{
  const int32_t taps = column <= 0 ? 0 : (column + dilation - 1) / dilation;
  return taps < kernel ? taps : kernel;
}

/* One kernel row of a window to `to`: columns [first, end) from x on, padding around them. */
static inline void mcuc_conv2d_mve_gather_row(const mcuc_conv2d_mve_params *p, int32_t step,
                                              const int8_t *x, int32_t first, int32_t end,
                                              int8_t *to)
{
  const int32_t before = first * p->in, line = p->kernel_w * p->in;
  mcuc_mve_copy(to, p->padding, before);
  to += before;
  if (step == p->in) { /* columns are one run */
    mcuc_mve_copy(to, x, (end - first) * p->in);
    to += (end - first) * p->in;
  } else {
    int32_t j;
    for (j = first; j < end; ++j) {
      mcuc_mve_copy(to, x, p->in);
      to += p->in;
      x += step;
    }
  }
  mcuc_mve_copy(to, p->padding, line - end * p->in);
}

/* Copies the window that begins at column `start` of the map to `to`. */
__attribute__((noinline)) static void mcuc_conv2d_mve_gather(const mcuc_conv2d_mve_params *p,
                                                             const mcuc_window_call *c,
                                                             int32_t start, int8_t *to)
{
  const int32_t step = p->dilation_w * c->in_step;
  const int32_t line = p->kernel_w * p->in;
  const int32_t origin = c->start < 0 ? 0 : c->start;
  const int32_t first = mcuc_conv2d_mve_inside(-start, p->dilation_w, p->kernel_w);
  const int32_t limit = mcuc_conv2d_mve_inside(c->in_w - start, p->dilation_w, p->kernel_w);
  const int32_t end = limit > first ? limit : first;
  const int32_t offset = (start - origin) * c->in_step + first * step;
  int32_t i;
  for (i = -c->top; i < p->kernel_h - c->top; ++i) {
    if (i < 0 || i >= c->kernel_h) {
      mcuc_mve_copy(to, p->padding, line);
    } else {
      mcuc_conv2d_mve_gather_row(p, step, (const int8_t *)c->rows[i] + offset, first, end, to);
    }
    to += line;
  }
}

/* Output pixels [first, end) of a call have columns inside the map, which are one run each. */
static inline void mcuc_conv2d_mve_inner(const mcuc_conv2d_mve_params *p, const mcuc_window_call *c,
                                         int32_t *first, int32_t *end)
{
  const int32_t room = c->in_w - p->kernel_w - c->start;
  *first = 0;
  *end = 0;
  if (room >= 0 && (p->dilation_w * c->in_step == p->in || p->kernel_w == 1)) {
    *first = c->start < 0 ? (p->stride_w - 1 - c->start) / p->stride_w : 0;
    *end = room / p->stride_w + 1;
    *end = *end < c->n ? *end : c->n;
  }
}

/* Copies n windows whose columns are inside the map, the first one from column `start` on. */
static inline void mcuc_conv2d_mve_copy(const mcuc_conv2d_mve_params *p, const mcuc_window_call *c,
                                        int32_t start, int32_t n, int8_t *to)
{
  const int32_t size = p->vectors * MCUC_MVE_BYTES, line = p->kernel_w * p->in;
  const int32_t offset = (start - (c->start < 0 ? 0 : c->start)) * c->in_step;
  int32_t i;
  for (i = -c->top; i < p->kernel_h - c->top; ++i) {
    const int8_t *x = p->padding;
    int32_t step = 0;
    if (i >= 0 && i < c->kernel_h) {
      x = (const int8_t *)c->rows[i] + offset;
      step = p->stride_w * c->in_step;
    }
    mcuc_mve_copies(to, size, x, step, n, line);
    to += line;
  }
}

MCUC_FN void mcuc_conv2d_s8_s8_s8__mve_3x4(const void *params, const void *call)
{
  const mcuc_conv2d_mve_params *p = (const mcuc_conv2d_mve_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int8_t *const copy = (int8_t *)c->scratch;
  const int32_t step = p->stride_w * c->in_step, size = p->vectors * MCUC_MVE_BYTES;
  const int32_t origin = c->start < 0 ? 0 : c->start;
  mcuc_conv2d_mve_row row;
  int32_t first, end;
  int32_t n = 0;

  mcuc_conv2d_mve_inner(p, c, &first, &end);
  row.y_step = c->dst_step;
  while (n < c->n) {
    int32_t start = c->start + n * p->stride_w;
    row.y = (int8_t *)c->dst + n * c->dst_step;
    if (!p->copied && c->kernel_h == p->kernel_h && n >= first &&
        n < end) { /* pixels that lie there */
      row.x = (const int8_t *)c->rows[0] + (start - origin) * c->in_step;
      row.x_step = step;
      row.n = end - n;
      n = end;
    } else {
      const int32_t most = c->n - n < p->windows ? c->n - n : p->windows;
      row.x = copy;
      row.x_step = size;
      for (row.n = 0; row.n < most;) {
        int8_t *const to = copy + row.n * size;
        int32_t some = 1;
        if (n >= first && n < end) {
          some = end - n < most - row.n ? end - n : most - row.n;
          mcuc_conv2d_mve_copy(p, c, start, some, to);
        } else {
          mcuc_conv2d_mve_gather(p, c, start, to);
        }
        row.n += some;
        n += some;
        start += some * p->stride_w;
      }
    }
    mcuc_conv2d_mve_windows(p, &row);
  }
}
