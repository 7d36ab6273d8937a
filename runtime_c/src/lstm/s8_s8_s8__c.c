/* LSTM over one sequence, int8 with an int16 cell.
 *
 *   i, f, o = logistic(Wx x + Rx h + b),  g = tanh(Wg x + Rg h + b)
 *   c = f c + i g,  h = o tanh(c)
 *
 * src 0   : [steps][depth] int8
 * src 1   : [3][units] int8: h, and the bytes of c, little end first
 * dst     : [steps + 2][units] int8: h of every step, and the bytes of the last c
 * scratch : int16[units], the cell
 * Bit-exact to mcuc/ops/lstm.py:ref.
 */
#include <string.h>

#include "lstm/lstm.h"
#include "mcuc/fixed16.h"
#include "mcuc/program.h"

/* One product, rescaled: of a row of weights with a vector. */
static int32_t mcuc_lstm_product(const int8_t *w, const int8_t *x, int32_t n, int32_t bias,
                                 int32_t multiplier, int32_t shift)
{
  uint32_t acc = (uint32_t)bias;
  int32_t k;
  for (k = 0; k < n; ++k) {
    acc += (uint32_t)((int32_t)w[k] * x[k]);
  }
  return mcuc_multiply_by_quantized_multiplier((int32_t)acc, multiplier, shift);
}

/* Gate g of unit u before its function. */
static int32_t mcuc_lstm_gate(const mcuc_lstm_params *p, int32_t g, int32_t u, const int8_t *x,
                              const int8_t *h)
{
  const int32_t row = g * p->units + u;
  const int32_t a = mcuc_lstm_product(p->weights + row * p->depth, x, p->depth, p->bias[row],
                                      p->multiplier[g], p->shift[g]);
  const int32_t b = mcuc_lstm_product(p->recurrent + row * p->units, h, p->units, 0,
                                      p->multiplier[4 + g], p->shift[4 + g]);
  const int64_t sum = (int64_t)mcuc_saturate_to_int16(a) + b;
  return mcuc_saturate_to_int16(mcuc_saturate_to_int32(sum));
}

static int32_t mcuc_lstm_clipped(const mcuc_lstm_params *p, int32_t c)
{
  if (p->clip > 0) {
    c = c > p->clip ? p->clip : c;
    c = c < -p->clip ? -p->clip : c;
  }
  return c;
}

MCUC_FN void mcuc_lstm_s8_s8_s8__c(const void *params, const void *call)
{
  const mcuc_lstm_params *p = (const mcuc_lstm_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int8_t *x = (const int8_t *)io->src[0];
  const int8_t *h = (const int8_t *)io->src[1];
  int8_t *dst = (int8_t *)io->dst;
  int16_t *cell = (int16_t *)io->scratch;
  int32_t t, u;

  memcpy(cell, h + p->units, (size_t)(2 * p->units));
  for (t = 0; t < p->steps; ++t) {
    for (u = 0; u < p->units; ++u) {
      const int32_t in = mcuc_logistic16(mcuc_lstm_gate(p, 0, u, x, h));
      const int32_t forget = mcuc_logistic16(mcuc_lstm_gate(p, 1, u, x, h));
      const int32_t next = mcuc_tanh16(mcuc_lstm_gate(p, 2, u, x, h), 3);
      const int32_t out = mcuc_logistic16(mcuc_lstm_gate(p, 3, u, x, h));
      int32_t c = mcuc_rounding_divide_by_pot(forget * cell[u], 15);
      int32_t y = mcuc_rounding_divide_by_pot(in * next, 30 - p->cell_bits);
      c = mcuc_lstm_clipped(p, mcuc_saturate_to_int16(c + mcuc_saturate_to_int16(y)));
      y = out * mcuc_tanh16(c, 15 - p->cell_bits);
      y = mcuc_multiply_by_quantized_multiplier(y, p->hidden_multiplier, p->hidden_shift);
      y = y > 127 ? 127 : y;
      dst[u] = (int8_t)(y < -128 ? -128 : y);
      cell[u] = (int16_t)c;
    }
    h = dst;
    dst += p->units;
    x += p->depth;
  }
  memcpy(dst, cell, (size_t)(2 * p->units));
}
