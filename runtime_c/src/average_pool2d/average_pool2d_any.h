/* Average pool of integers, portable C, window form with clipped windows.
 *
 *   y[n][c] = clamp(round(sum_ij x[row i][pixel n * stride_w + j][c] / (kernel_h * kernel_w)))
 *
 * rows : kernel_h rows of pixels, only those inside the map     dst : [n][channels]
 * No scratch. |sum| < 2^31 for windows of up to 2^23 elements of int8, 65535 of int16.
 * Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d.h"
#include "mcuc/part.h"

/* Channels [first, first + count) of one pixel; start: bytes from a row's first column. */
static void MCUC_PART(block)(const mcuc_average_pool2d_params *p, const mcuc_window_call *c,
                             MCUC_ELEMENT *y, int32_t start, int32_t first, int32_t count)
{
  const int32_t elements = c->kernel_h * c->kernel_w;
  int32_t sum[MCUC_AVERAGE_POOL2D_BLOCK];
  int32_t i;
  int32_t k;

  for (k = 0; k < count; ++k) {
    sum[k] = 0;
  }
  for (i = 0; i < c->kernel_h; ++i) {
    const MCUC_ELEMENT *x = (const MCUC_ELEMENT *)mcuc_at(c->rows[i], start) + first;
    int32_t j;
    for (j = 0; j < c->kernel_w; ++j) {
      for (k = 0; k < count; ++k) {
        sum[k] += x[k];
      }
      x = (const MCUC_ELEMENT *)mcuc_at(x, c->in_step);
    }
  }
  for (k = 0; k < count; ++k) {
    const int32_t mean = mcuc_average_pool2d_mean(sum[k], elements, p->half_up, p->low, p->high);
    y[first + k] = (MCUC_ELEMENT)mean;
  }
}

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_average_pool2d_params *p = (const mcuc_average_pool2d_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  MCUC_ELEMENT *y = (MCUC_ELEMENT *)c->dst;
  int32_t start = 0;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int32_t first;
    for (first = 0; first < p->channels; first += MCUC_AVERAGE_POOL2D_BLOCK) {
      const int32_t rest = p->channels - first;
      MCUC_PART(block)(p, c, y, start, first,
                       rest < MCUC_AVERAGE_POOL2D_BLOCK ? rest : MCUC_AVERAGE_POOL2D_BLOCK);
    }
    start += p->stride_w * c->in_step;
    y = (MCUC_ELEMENT *)mcuc_to(y, c->dst_step);
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
