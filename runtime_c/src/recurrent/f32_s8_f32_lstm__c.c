/* LSTM of float32 with int8 weights over a sequence: x and h are quantized in every step.
 *
 * src[0] : [steps][batch][depth] f32
 * src[1] : [2][batch][units] f32, h and c before the first step
 * dst    : [steps + 1][batch][units] f32: h of every step, and the last c
 * scratch: depth + units bytes, x and h quantized
 * |sum| <= 2^16 * 255 * 128 < 2^31. Bit-exact to mcuc/ops/recurrent.py:ref.
 */
#include "mcuc/fmath.h"
#include "mcuc/hybrid.h"
#include "mcuc/program.h"
#include "recurrent/recurrent.h"

/* Numbers of one step, quantized. */
typedef struct mcuc_recurrent_quantized {
  const int8_t *q;
  int32_t n;
  mcuc_hybrid_scale found;
} mcuc_recurrent_quantized;

static mcuc_recurrent_quantized mcuc_recurrent_quantize(const mcuc_recurrent_hybrid_params *p,
                                                        const float *x, int8_t *q, int32_t n)
{
  mcuc_recurrent_quantized result;
  result.q = q;
  result.n = n;
  result.found = mcuc_hybrid_quantize(x, q, n, p->asymmetric);
  return result;
}

static float mcuc_recurrent_hybrid_dot(const mcuc_recurrent_quantized *x, const int8_t *w,
                                       float scale)
{
  int32_t sum = 0;
  int32_t k;
  for (k = 0; k < x->n; ++k) {
    sum += (x->q[k] - x->found.zero) * w[k];
  }
  return (float)sum * (scale * x->found.scale);
}

/* Gate g of unit u before its function. */
static float mcuc_recurrent_hybrid_gate(const mcuc_recurrent_hybrid_params *p, int32_t g, int32_t u,
                                        const mcuc_recurrent_quantized *x,
                                        const mcuc_recurrent_quantized *h)
{
  const int32_t row = g * p->units + u;
  const int32_t other = row + 4 * p->units; /* of what belongs to h */
  const float into = mcuc_recurrent_hybrid_dot(x, p->weights + row * p->depth, p->scales[row]);
  const float back = mcuc_recurrent_hybrid_dot(h, p->recurrent + row * p->units, p->scales[other]);
  return ((p->bias[row] + into) + back) + p->bias[other];
}

#define MCUC_KERNEL mcuc_recurrent_f32_s8_f32_lstm__c
#define MCUC_PARAMS mcuc_recurrent_hybrid_params
#define MCUC_OPERAND mcuc_recurrent_quantized
#define MCUC_GATE mcuc_recurrent_hybrid_gate
#include "recurrent/lstm_step_any.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_recurrent_hybrid_params *p = (const mcuc_recurrent_hybrid_params *)params;
  const mcuc_whole_call *io = (const mcuc_whole_call *)call;
  const int32_t all = p->batch * p->units;
  int8_t *const q = (int8_t *)io->scratch;
  int32_t b, k;

  for (b = 0; b < p->batch; ++b) {
    const float *h = (const float *)io->src[1] + b * p->units;
    float *c = (float *)io->dst + p->steps * all + b * p->units;
    memcpy(c, h + all, (size_t)p->units * sizeof *c);
    for (k = 0; k < p->steps; ++k) {
      const int32_t t = p->reverse ? p->steps - 1 - k : k;
      const float *x = (const float *)io->src[0] + (t * p->batch + b) * p->depth;
      float *dst = (float *)io->dst + t * all + b * p->units;
      const mcuc_recurrent_quantized of_x = mcuc_recurrent_quantize(p, x, q, p->depth);
      const mcuc_recurrent_quantized of_h = mcuc_recurrent_quantize(p, h, q + p->depth, p->units);
      MCUC_PART(step)(p, &of_x, &of_h, c, dst);
      h = dst;
    }
  }
}

#undef MCUC_KERNEL
