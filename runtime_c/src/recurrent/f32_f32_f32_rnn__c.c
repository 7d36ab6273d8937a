/* RNN of float32 over a sequence.
 *
 * src[0] : [steps][batch][depth] f32
 * src[1] : [1][batch][units] f32, h before the first step
 * dst    : [steps][batch][units] f32: h of every step
 * scratch: none
 * Bit-exact to mcuc/ops/recurrent.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "recurrent/recurrent.h"

/* Gate g of unit u before its function. */
static float mcuc_recurrent_rnn_gate(const mcuc_recurrent_rnn_params *p, int32_t g, int32_t u,
                                     const float *x, const float *h)
{
  const int32_t row = g * p->units + u;
  const float *bias = p->bias + row;
  return mcuc_recurrent_dot(p->weights + row * p->depth, x, p->depth, *bias) +
         mcuc_recurrent_dot(p->recurrent + row * p->units, h, p->units, bias[1 * p->units]);
}

static void mcuc_recurrent_rnn_step(const mcuc_recurrent_rnn_params *p, const float *x,
                                    const float *h, float *dst)
{
  int32_t u;
  for (u = 0; u < p->units; ++u) {
    const float inner = mcuc_recurrent_rnn_gate(p, 0, u, x, h);
    dst[u] = mcuc_tanhf(mcuc_clamp_f32(inner, -p->clip, p->clip));
  }
}

MCUC_FN void mcuc_recurrent_f32_f32_f32_rnn__c(const void *params, const void *call)
{
  const mcuc_recurrent_rnn_params *p = (const mcuc_recurrent_rnn_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t all = p->batch * p->units;
  int32_t b, k;

  for (b = 0; b < p->batch; ++b) {
    const float *h = (const float *)io->src[1] + b * p->units;
    for (k = 0; k < p->steps; ++k) {
      const int32_t t = p->reverse ? p->steps - 1 - k : k;
      const float *x = (const float *)io->src[0] + (t * p->batch + b) * p->depth;
      float *dst = (float *)io->dst + t * all + b * p->units;
      mcuc_recurrent_rnn_step(p, x, h, dst);
      h = dst;
    }
  }
}
