/* LSTM of float32 over a sequence.
 *
 * src[0] : [steps][batch][depth] f32
 * src[1] : [2][batch][units] f32, h and c before the first step
 * dst    : [steps + 1][batch][units] f32: h of every step, and the last c
 * scratch: none
 * Bit-exact to mcuc/ops/recurrent.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/program.h"
#include "recurrent/recurrent.h"

/* Gate g of unit u before its function. */
static float mcuc_recurrent_lstm_gate(const mcuc_recurrent_lstm_params *p, int32_t g, int32_t u,
                                      const float *x, const float *h)
{
  const int32_t row = g * p->units + u;
  const float *bias = p->bias + row;
  return mcuc_recurrent_dot(p->weights + row * p->depth, x, p->depth, *bias) +
         mcuc_recurrent_dot(p->recurrent + row * p->units, h, p->units, bias[4 * p->units]);
}

#define MCUC_KERNEL mcuc_recurrent_f32_f32_f32_lstm__c
#define MCUC_PARAMS mcuc_recurrent_lstm_params
#define MCUC_OPERAND float
#define MCUC_GATE mcuc_recurrent_lstm_gate
#include "recurrent/lstm_step_any.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_recurrent_lstm_params *p = (const mcuc_recurrent_lstm_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t all = p->batch * p->units;
  int32_t b, k;

  for (b = 0; b < p->batch; ++b) {
    const float *h = (const float *)io->src[1] + b * p->units;
    float *c = (float *)io->dst + p->steps * all + b * p->units;
    memcpy(c, h + all, (size_t)p->units * sizeof *c);
    for (k = 0; k < p->steps; ++k) {
      const int32_t t = p->reverse ? p->steps - 1 - k : k;
      const float *x = (const float *)io->src[0] + (t * p->batch + b) * p->depth;
      float *dst = (float *)io->dst + t * all + b * p->units;
      MCUC_PART(step)(p, x, h, c, dst);
      h = dst;
    }
  }
}

#undef MCUC_KERNEL
