/* ADD, int8, Helium, where the host has found a plane that is the same as the rule:
 * clamp((a * a_multiplier + b * b_multiplier + constant) >> right).
 *
 * a, b : pixels of `channels` int8     dst : pixels of `channels` int8; may be a or b
 * Sixteen elements at a time; pixels that follow each other are one run. All sums are int32.
 * Bit-exact to mcuc/ops/add.py:ref.
 */
#include "add/add.h"
#include "mcuc/mve.h"
#include "mcuc/program.h"

#if MCUC_MVE
/* Four sums of a vector. VLDRB that widens takes low registers only. */
#define MCUC_ADD_MVE_FOUR(q, from) \
  "vldrb.s32 " q ", [%[a]" from    \
  "\n\t"                           \
  "vmlas.s32 " q                   \
  ", q6, %[constant]\n\t"          \
  "vldrb.s32 q4, [%[b]" from       \
  "\n\t"                           \
  "vmla.s32 " q                    \
  ", q4, %[b_factor]\n\t"          \
  "vshl.s32 " q ", %[left]\n\t"

/* n elements, clamped to int8 only: sixteen at a time, then four, which narrowing leaves in another
 * order. */
static inline void mcuc_add_mve_run(const mcuc_add_plane_params *p, const int8_t *a,
                                    const int8_t *b, int8_t *y, int32_t n)
{
  const int32_t constant = p->constant, b_factor = p->b_multiplier, left = -p->right;
  int32_t rest = n & 15;
  if (n >= 16) {
    register int32x4_t a_factor __asm__("q6") = vdupq_n_s32(p->a_multiplier);
    register uint32x4_t places __asm__("q5") =
        vaddq_n_u32(vmulq_n_u32(vidupq_n_u32(0, 1), 0x01010101U), 0x0c040800U);
    __asm__ volatile(
        "dls lr, %[turns]\n\t"
        "1:\n\t" MCUC_ADD_MVE_FOUR("q0", "], #16") MCUC_ADD_MVE_FOUR("q1", ", #-12]")
            MCUC_ADD_MVE_FOUR("q2", ", #-8]") MCUC_ADD_MVE_FOUR("q3", ", #-4]")
        "vqmovnb.s32 q0, q0\n\t"
        "vqmovnt.s32 q0, q1\n\t"
        "vqmovnb.s32 q2, q2\n\t"
        "vqmovnt.s32 q2, q3\n\t"
        "vqmovnb.s16 q0, q0\n\t"
        "vqmovnt.s16 q0, q2\n\t"
        "vstrb.8 q0, [%[y], q5]\n\t"
        "add %[y], #16\n\t"
        "le lr, 1b\n\t"
        : [a] "+l"(a), [b] "+l"(b), [y] "+r"(y)
        : [turns] "r"(n >> 4), [constant] "r"(constant), [b_factor] "r"(b_factor),
          [left] "r"(left), "w"(a_factor), "w"(places)
        : "q0", "q1", "q2", "q3", "q4", "lr", "cc", "memory");
  }
  for (; rest > 0; rest -= 4) {
    const mve_pred16_t some = vctp32q((uint32_t)rest);
    int32x4_t v = vmlaq_n_s32(vdupq_n_s32(constant), vldrbq_z_s32(a, some), p->a_multiplier);
    v = vshlq_r_s32(vmlaq_n_s32(v, vldrbq_z_s32(b, some), b_factor), left);
    v = vminq_s32(vmaxq_s32(v, vdupq_n_s32(-128)), vdupq_n_s32(127));
    vstrbq_p_s32(y, v, some);
    a += 4;
    b += 4;
    y += 4;
  }
}
#else
static inline void mcuc_add_mve_run(const mcuc_add_plane_params *p, const int8_t *a,
                                    const int8_t *b, int8_t *y, int32_t n)
{
  for (; n > 0; --n) {
    const int32_t v = (p->constant + *a++ * p->a_multiplier + *b++ * p->b_multiplier) >> p->right;
    *y++ = (int8_t)(v < -128 ? -128 : v > 127 ? 127 : v);
  }
}
#endif

MCUC_FN void mcuc_add_s8_s8_s8_plane__mve_16(const void *params, const void *call)
{
  const mcuc_add_plane_params *p = (const mcuc_add_plane_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  const int32_t c = p->channels;
  int32_t i;

  if (io->src_step[0] == c && io->src_step[1] == c && io->dst_step == c) {
    mcuc_add_mve_run(p, (const int8_t *)io->src[0], (const int8_t *)io->src[1], (int8_t *)io->dst,
                     io->n * c);
    mcuc_dsp_clamp((int8_t *)io->dst, io->n * c, p->low, p->high);
    return;
  }
  for (i = 0; i < io->n; ++i) {
    int8_t *const y = (int8_t *)io->dst + i * io->dst_step;
    mcuc_add_mve_run(p, (const int8_t *)io->src[0] + i * io->src_step[0],
                     (const int8_t *)io->src[1] + i * io->src_step[1], y, c);
    mcuc_dsp_clamp(y, c, p->low, p->high);
  }
}
