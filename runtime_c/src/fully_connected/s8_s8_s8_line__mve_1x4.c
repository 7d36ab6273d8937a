/* FULLY_CONNECTED with one rounding, Helium, pixel form.
 *
 *   y[n][u] = line(bias[u] + sum_k x[n][k] * w[u][k])
 *
 * src : [n][depth] s8     dst : [n][units] s8     scratch : a pixel, unless it is whole vectors.
 * Blocks of one pixel by four units. Bit-exact to mcuc/ops/fully_connected.py:ref.
 */
#include "fully_connected/fully_connected_mve.h"

#if MCUC_MVE

#define MCUC_FC_MVE_UNIT(a, acc) \
  "vldrb.8 q1, [r5], #16\n\t"    \
  "vmladav" a ".s8 " acc ", q0, q1\n\t"

#define MCUC_FC_MVE_PRODUCTS(a)                                                   \
  "vldrb.8 q0, [r9], #16\n\t" MCUC_FC_MVE_UNIT(a, "r0") MCUC_FC_MVE_UNIT(a, "r2") \
      MCUC_FC_MVE_UNIT(a, "r4") MCUC_FC_MVE_UNIT(a, "r6")

/* All units of a pixel of whole vectors. */
static inline void mcuc_fully_connected_mve_pixel(const mcuc_fully_connected_mve_params *p,
                                                  const int8_t *x, int8_t *y)
{
  register const int8_t *from __asm__("r9") = x;
  register const int32_t *stream __asm__("r5") = p->stream;
  register int8_t *to __asm__("r1") = y;
  register int32_t units __asm__("r3") = p->units;
  register int32_t more __asm__("r8") = p->vectors - 1;
  register int32_t bytes __asm__("r12") = p->vectors * MCUC_MVE_BYTES;
  register int32x4_t low __asm__("q6") = vdupq_n_s32(p->low);
  register int32x4_t high __asm__("q7") = vdupq_n_s32(p->high);
  __asm__ volatile("1:\n\t" MCUC_FC_MVE_PRODUCTS("")
                   "wls lr, r8, 3f\n\t"
                   "2:\n\t" MCUC_FC_MVE_PRODUCTS("a")
                   "le lr, 2b\n\t"
                   "3:\n\t"
                   "sub r9, r9, r12\n\t"
                   "vmov d8, r0, r2\n\t"
                   "vmov d9, r4, r6\n\t"
                   "vldrw.32 q0, [r5], #64\n\t"
                   "vldrw.32 q1, [r5, #-48]\n\t"
                   "vldrw.32 q2, [r5, #-32]\n\t"
                   "vldrw.32 q3, [r5, #-16]\n\t"
                   "vadd.i32 q4, q4, q0\n\t"
                   "vmulh.s32 q4, q4, q1\n\t"
                   "vadd.i32 q4, q4, q2\n\t"
                   "vshl.s32 q4, q4, q3\n\t"
                   "vmax.s32 q4, q4, q6\n\t"
                   "vmin.s32 q4, q4, q7\n\t"
                   "vctp.32 r3\n\t"
                   "vpst\n\t"
                   "vstrbt.32 q4, [r1], #4\n\t"
                   "subs r3, #4\n\t"
                   "bgt 1b\n\t"
                   : "+r"(from), "+r"(stream), "+r"(to), "+r"(units)
                   : "r"(more), "r"(bytes), "w"(low), "w"(high)
                   : "r0", "r2", "r4", "r6", "lr", "cc", "memory", "q0", "q1", "q2", "q3", "q4");
}

#else

static inline void mcuc_fully_connected_mve_pixel(const mcuc_fully_connected_mve_params *p,
                                                  const int8_t *x, int8_t *y)
{
  const int8_t *w = (const int8_t *)(const void *)p->stream;
  int32_t u;
  for (u = 0; u < p->units; u += 4) {
    const mcuc_mve_scales *s =
        (const mcuc_mve_scales *)(const void *)(w + p->vectors * 4 * MCUC_MVE_BYTES);
    int32_t k;
    for (k = 0; k < 4 && u + k < p->units; ++k) {
      const mcuc_fully_connected_line line = {s->bias[k], s->multiplier[k], s->constant[k],
                                              -s->left[k]};
      int32_t acc = 0;
      int32_t i;
      for (i = 0; i < p->vectors * MCUC_MVE_BYTES; ++i) {
        acc += x[i] * w[(i / MCUC_MVE_BYTES * 4 + k) * MCUC_MVE_BYTES + i % MCUC_MVE_BYTES];
      }
      y[u + k] = mcuc_fully_connected_line_at(acc, &line);
    }
    w = (const int8_t *)(const void *)s + MCUC_MVE_SCALE_BYTES;
  }
  mcuc_dsp_clamp(y, p->units, p->low, p->high);
}

#endif

MCUC_FN void mcuc_fully_connected_s8_s8_s8_line__mve_1x4(const void *params, const void *call)
{
  const mcuc_fully_connected_mve_params *p = (const mcuc_fully_connected_mve_params *)params;
  const mcuc_pixel_call *c = (const mcuc_pixel_call *)call;
  const int8_t *x = (const int8_t *)c->src[0];
  int8_t *y = (int8_t *)c->dst;
  int32_t n;

  for (n = 0; n < c->n; ++n) {
    if (p->depth % MCUC_MVE_BYTES == 0) {
      mcuc_fully_connected_mve_pixel(p, x, y);
    } else {
      mcuc_mve_copy((int8_t *)c->scratch, x, p->depth);
      mcuc_fully_connected_mve_pixel(p, (const int8_t *)c->scratch, y);
    }
    x += c->src_step[0];
    y += c->dst_step;
  }
}
