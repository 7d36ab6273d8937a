/* GRU of float32 over a sequence.
 *
 * src[0] : [steps][batch][depth] f32
 * src[1] : [1][batch][units] f32, h before the first step
 * dst    : [steps][batch][units] f32: h of every step
 * scratch: [2][units] f32
 * Bit-exact to mcuc/ops/recurrent.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "recurrent/recurrent.h"

/* Gate g of unit u before its function. */
static float mcuc_recurrent_gru_gate(const mcuc_recurrent_gru_params *p, int32_t g, int32_t u,
                                     const float *x, const float *h)
{
  const int32_t row = g * p->units + u;
  const float *bias = p->bias + row;
  return mcuc_recurrent_dot(p->weights + row * p->depth, x, p->depth, *bias) +
         mcuc_recurrent_dot(p->recurrent + row * p->units, h, p->units, bias[3 * p->units]);
}

/* What the reset gate, `reset`, leaves of the product with h. */
static float mcuc_recurrent_gru_rest(const mcuc_recurrent_gru_params *p, int32_t u, const float *h,
                                     const float *reset, const float *product)
{
  const float *w = p->recurrent + (2 * p->units + u) * p->units;
  const float bias = p->bias[5 * p->units + u];
  if (p->linear_before_reset) {
    return reset[u] * mcuc_recurrent_dot(w, h, p->units, bias);
  }
  return mcuc_recurrent_dot(w, product, p->units, bias);
}

static void mcuc_recurrent_gru_step(const mcuc_recurrent_gru_params *p, const float *x,
                                    const float *h, float *reset, float *dst)
{
  float *product = reset + p->units;
  int32_t u;
  for (u = 0; u < p->units; ++u) {
    const float inner = mcuc_recurrent_gru_gate(p, 1, u, x, h);
    reset[u] = mcuc_logisticf(mcuc_clamp_f32(inner, -p->clip, p->clip));
    product[u] = reset[u] * h[u];
  }
  for (u = 0; u < p->units; ++u) {
    const float gate = mcuc_recurrent_gru_gate(p, 0, u, x, h);
    const float update = mcuc_logisticf(mcuc_clamp_f32(gate, -p->clip, p->clip));
    const float *w = p->weights + (2 * p->units + u) * p->depth;
    const float inner = mcuc_recurrent_dot(w, x, p->depth, p->bias[2 * p->units + u]) +
                        mcuc_recurrent_gru_rest(p, u, h, reset, product);
    const float fresh = mcuc_tanhf(mcuc_clamp_f32(inner, -p->clip, p->clip));
    dst[u] = (1.0f - update) * fresh + update * h[u];
  }
}

MCUC_FN void mcuc_recurrent_f32_f32_f32_gru__c(const void *params, const void *call)
{
  const mcuc_recurrent_gru_params *p = (const mcuc_recurrent_gru_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t all = p->batch * p->units;
  int32_t b, k;

  for (b = 0; b < p->batch; ++b) {
    const float *h = (const float *)io->src[1] + b * p->units;
    for (k = 0; k < p->steps; ++k) {
      const int32_t t = p->reverse ? p->steps - 1 - k : k;
      const float *x = (const float *)io->src[0] + (t * p->batch + b) * p->depth;
      float *dst = (float *)io->dst + t * all + b * p->units;
      mcuc_recurrent_gru_step(p, x, h, (float *)io->scratch, dst);
      h = dst;
    }
  }
}
