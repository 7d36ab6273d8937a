/* Padding of rows and columns, portable C, window form with a window of one pixel.
 *
 *   y[n][c] = x[row 0][pixel n][c], or the fill
 *
 * rows : 1 row of pixels of `bytes` bytes, none for padding     dst : [n] such pixels
 * No scratch. Bit-exact to mcuc/ops/pad.py:ref.
 */
#include "pad/pad.h"

MCUC_FN void mcuc_pad_s8_s8_rows__c(const void *params, const void *call)
{
  const mcuc_pad_copy_params *p = (const mcuc_pad_copy_params *)params;
  const mcuc_window_call *c = (const mcuc_window_call *)call;
  const uint8_t *x;
  uint8_t *y = (uint8_t *)c->dst;
  int32_t n;

  if (c->kernel_h == 0 || c->kernel_w == 0) {
    for (n = 0; n < c->n; ++n) {
      mcuc_pad_fill(y, p->fill, p->element, p->bytes);
      y += c->dst_step;
    }
    return;
  }
  x = (const uint8_t *)c->rows[0];
  if (c->in_step == p->bytes && c->dst_step == p->bytes) {
    memcpy(y, x, (size_t)(c->n * p->bytes));
    return;
  }
  for (n = 0; n < c->n; ++n) {
    memcpy(y, x, (size_t)p->bytes);
    x += c->in_step;
    y += c->dst_step;
  }
}
