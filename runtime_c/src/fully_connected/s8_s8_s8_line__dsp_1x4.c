/* FULLY_CONNECTED with one rounding, DSP extension, pixel form.
 *
 *   y[n][u] = line(bias[u] + sum_k x[n][k] * w[u][k])
 *
 * src : [n][depth] s8     dst : [n][units] s8
 * scratch : whole words of a depth, where it is no multiple of 4; else none.
 * Blocks of one pixel by four units. Bit-exact to mcuc/ops/fully_connected.py:ref.
 */
#include "fully_connected/fully_connected.h"
#include "mcuc/dsp_dot.h"

/* Four k of two pairs of units: weights of (k, k + 2) of both, then of (k + 1, k + 3) of both. */
#define MCUC_FULLY_CONNECTED_STEP     \
  "ldr %[a], [%[x]], #4\n\t"          \
  "ldmia %[w]!, {r4, r5, r6, r8}\n\t" \
  "sxtb16 %[b], %[a]\n\t"             \
  "smlad %[t0], %[b], r4, %[t0]\n\t"  \
  "smlad %[t1], %[b], r5, %[t1]\n\t"  \
  "sxtb16 r4, r4\n\t"                 \
  "sxtb16 r5, r5\n\t"                 \
  "smlad %[u0], %[b], r4, %[u0]\n\t"  \
  "smlad %[u1], %[b], r5, %[u1]\n\t"  \
  "sxtb16 %[a], %[a], ror #8\n\t"     \
  "smlad %[t0], %[a], r6, %[t0]\n\t"  \
  "smlad %[t1], %[a], r8, %[t1]\n\t"  \
  "sxtb16 r6, r6\n\t"                 \
  "sxtb16 r8, r8\n\t"                 \
  "smlad %[u0], %[a], r6, %[u0]\n\t"  \
  "smlad %[u1], %[a], r8, %[u1]\n\t"

/* Adds 4 * n products, n > 0; returns the weights that follow. */
static const int32_t *mcuc_fully_connected_dot_dsp(const int8_t *x, const int32_t *w, int32_t n,
                                                   mcuc_dot_pair *first, mcuc_dot_pair *second)
{
#if MCUC_DSP_ASM
  uint32_t a, b;
  __asm__(MCUC_DOT_LOOP(MCUC_FULLY_CONNECTED_STEP)
          : [x] "+r"(x), [w] "+r"(w), [n] "+r"(n), [t0] "+r"(first->both), [u0] "+r"(first->b),
            [t1] "+r"(second->both), [u1] "+r"(second->b), [a] "=&r"(a), [b] "=&r"(b)
          :
          : "r4", "r5", "r6", "r8", "cc", "memory");
#else
  for (; n > 0; --n) {
    const uint32_t word = mcuc_dsp_load(x);
    const uint32_t even = mcuc_dsp_sxtb16(word), odd = mcuc_dsp_sxtb16_ror8(word);
    first->both =
        mcuc_dsp_smlad(odd, (uint32_t)w[2], mcuc_dsp_smlad(even, (uint32_t)w[0], first->both));
    second->both =
        mcuc_dsp_smlad(odd, (uint32_t)w[3], mcuc_dsp_smlad(even, (uint32_t)w[1], second->both));
    first->b = mcuc_dsp_smlad(even, mcuc_dsp_sxtb16((uint32_t)w[0]), first->b);
    first->b = mcuc_dsp_smlad(odd, mcuc_dsp_sxtb16((uint32_t)w[2]), first->b);
    second->b = mcuc_dsp_smlad(even, mcuc_dsp_sxtb16((uint32_t)w[1]), second->b);
    second->b = mcuc_dsp_smlad(odd, mcuc_dsp_sxtb16((uint32_t)w[3]), second->b);
    x += 4;
    w += 4;
  }
#endif
  return w;
}

/* Up to four units from unit u on. */
static inline void mcuc_fully_connected_line_store(int8_t *y, int32_t n, mcuc_dot_pair first,
                                                   mcuc_dot_pair second,
                                                   const mcuc_fully_connected_line *l)
{
  y[0] = mcuc_fully_connected_line_at(mcuc_dot_high(first), &l[0]);
  if (n > 1) {
    y[1] = mcuc_fully_connected_line_at(first.b, &l[1]);
  }
  if (n > 2) {
    y[2] = mcuc_fully_connected_line_at(mcuc_dot_high(second), &l[2]);
  }
  if (n > 3) {
    y[3] = mcuc_fully_connected_line_at(second.b, &l[3]);
  }
}

MCUC_FN void mcuc_fully_connected_s8_s8_s8_line__dsp_1x4(const void *params, const void *call)
{
  const mcuc_fully_connected_dsp_params *p = (const mcuc_fully_connected_dsp_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *src = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    const mcuc_fully_connected_line *l = (const mcuc_fully_connected_line *)(const void *)p->lines;
    const int32_t *w = p->weights;
    const int8_t *x = src;
    int32_t u;
    if ((p->depth & 3) != 0) {
      mcuc_dsp_copy((int8_t *)c->scratch, src, p->depth);
      x = (const int8_t *)c->scratch;
    }
    for (u = 0; u < p->units; u += 4) {
      mcuc_dot_pair first = {0, 0}, second = {0, 0};
      w = mcuc_fully_connected_dot_dsp(x, w, p->words, &first, &second);
      mcuc_fully_connected_line_store(y + u, p->units - u, first, second, l);
      l += 4;
    }
    mcuc_dsp_clamp(y, p->units, p->low, p->high);
    src += c->src_step[0];
    y += c->dst_step;
  }
}
