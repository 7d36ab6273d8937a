/* Average pool, portable C, window form with clipped windows.
 *
 *   y[n][c] = clamp(round(sum_ij x[row i][pixel n * stride_w + j][c] / (kernel_h * kernel_w)))
 *
 * rows : kernel_h rows of s16 pixels, only those inside the map     dst : [n][channels] s16
 * No scratch. |sum| <= 2^15 * kernel_h * kernel_w < 2^31 for windows of up to 65535 elements.
 * Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d.h"

/* Channels [first, first + count) of one pixel; start: bytes from a row's first column. */
static void mcuc_average_pool2d_s16_block(const mcuc_average_pool2d_params *p,
                                          const mcuc_window_call *c, int16_t *y, int32_t start,
                                          int32_t first, int32_t count)
{
  const int32_t elements = c->kernel_h * c->kernel_w;
  int32_t sum[MCUC_AVERAGE_POOL2D_BLOCK];
  int32_t i;
  int32_t k;

  for (k = 0; k < count; ++k) {
    sum[k] = 0;
  }
  for (i = 0; i < c->kernel_h; ++i) {
    const int16_t *x = (const int16_t *)mcuc_at(c->rows[i], start) + first;
    int32_t j;
    for (j = 0; j < c->kernel_w; ++j) {
      for (k = 0; k < count; ++k) {
        sum[k] += x[k];
      }
      x = (const int16_t *)mcuc_at(x, c->in_step);
    }
  }
  for (k = 0; k < count; ++k) {
    int32_t mean = p->half_up ? mcuc_divide_rounding_half_up(sum[k], elements)
                              : mcuc_divide_rounding_half_away(sum[k], elements);
    mean = mean < p->low ? p->low : mean;
    mean = mean > p->high ? p->high : mean;
    y[first + k] = (int16_t)mean;
  }
}

MCUC_FN void mcuc_average_pool2d_s16_s16__c(const void *params, const void *call)
{
  const mcuc_average_pool2d_params *p = (const mcuc_average_pool2d_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  int16_t *y = (int16_t *)c->dst;
  int32_t start = 0;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    int32_t first;
    for (first = 0; first < p->channels; first += MCUC_AVERAGE_POOL2D_BLOCK) {
      const int32_t rest = p->channels - first;
      mcuc_average_pool2d_s16_block(
          p, c, y, start, first,
          rest < MCUC_AVERAGE_POOL2D_BLOCK ? rest : MCUC_AVERAGE_POOL2D_BLOCK);
    }
    start += p->stride_w * c->in_step;
    y = (int16_t *)mcuc_to(y, c->dst_step);
  }
}
