/* One step of an LSTM of float32, whatever its products with the weights are made of.
 *
 * MCUC_KERNEL is the symbol, MCUC_PARAMS its record, MCUC_OPERAND what x and h are for
 * MCUC_GATE(p, g, u, x, h), gate g of unit u before its function. The step is MCUC_PART(step);
 * MCUC_KERNEL stays defined.
 */
#include "mcuc/part.h"

/* Gate g with the peephole of its place. */
static float MCUC_PART(opened)(const MCUC_PARAMS *p, int32_t g, int32_t u, const MCUC_OPERAND *x,
                               const MCUC_OPERAND *h, float c)
{
  const float inner = MCUC_GATE(p, g, u, x, h) + p->peephole[g * p->units + u] * c;
  return mcuc_logisticf(mcuc_clamp_f32(inner, -p->clip, p->clip));
}

static void MCUC_PART(step)(const MCUC_PARAMS *p, const MCUC_OPERAND *x, const MCUC_OPERAND *h,
                            float *c, float *dst)
{
  int32_t u;
  for (u = 0; u < p->units; ++u) {
    const float into = MCUC_PART(opened)(p, 0, u, x, h, c[u]);
    const float forget = MCUC_PART(opened)(p, 2, u, x, h, c[u]);
    const float inner = MCUC_GATE(p, 3, u, x, h);
    const float fresh = mcuc_tanhf(mcuc_clamp_f32(inner, -p->clip, p->clip));
    c[u] = mcuc_clamp_f32(forget * c[u] + into * fresh, -p->cell_clip, p->cell_clip);
    dst[u] = MCUC_PART(opened)(p, 1, u, x, h, c[u]) * mcuc_tanhf(c[u]);
  }
}

#undef MCUC_PARAMS
#undef MCUC_OPERAND
#undef MCUC_GATE
