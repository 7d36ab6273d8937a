/* ADD, int8, Helium, where the host has found a plane that is the same as the rule:
 * clamp((a * a_multiplier + b * b_multiplier + constant) >> right).
 *
 * a, b : pixels of `channels` int8     dst : pixels of `channels` int8; may be a or b
 * Four elements at a time; pixels that follow each other are one run. All sums are int32. Bit-exact
 * to mcuc/ops/add.py:ref.
 */
#include "add/add.h"
#include "mcuc/mve.h"
#include "mcuc/program.h"

#if MCUC_MVE
/* Four elements at a time, then the others; n elements in all. */
static inline void mcuc_add_mve_run(const mcuc_add_plane_params *p, const int8_t *a,
                                    const int8_t *b, int8_t *y, int32_t n)
{
  const int32x4_t constant = vdupq_n_s32(p->constant);
  const int32x4_t low = vdupq_n_s32(p->low), high = vdupq_n_s32(p->high);
  const int32_t a_factor = p->a_multiplier, b_factor = p->b_multiplier, left = -p->right;
  int32_t fours;
  for (fours = n >> 2; fours > 0; --fours) {
    int32x4_t v = vmlaq_n_s32(constant, vldrbq_s32(a), a_factor);
    v = vmlaq_n_s32(v, vldrbq_s32(b), b_factor);
    vstrbq_s32(y, vminq_s32(vmaxq_s32(vshlq_r_s32(v, left), low), high));
    a += 4;
    b += 4;
    y += 4;
  }
  if ((n & 3) != 0) {
    const mve_pred16_t some = vctp32q((uint32_t)(n & 3));
    int32x4_t v = vmlaq_n_s32(constant, vldrbq_z_s32(a, some), a_factor);
    v = vmlaq_n_s32(v, vldrbq_z_s32(b, some), b_factor);
    vstrbq_p_s32(y, vminq_s32(vmaxq_s32(vshlq_r_s32(v, left), low), high), some);
  }
}
#else
static inline void mcuc_add_mve_run(const mcuc_add_plane_params *p, const int8_t *a,
                                    const int8_t *b, int8_t *y, int32_t n)
{
  for (; n > 0; --n) {
    const int32_t v = (p->constant + *a++ * p->a_multiplier + *b++ * p->b_multiplier) >> p->right;
    *y++ = (int8_t)(v < p->low ? p->low : v > p->high ? p->high : v);
  }
}
#endif

MCUC_FN void mcuc_add_s8_s8_s8_plane__mve_4(const void *params, const void *call)
{
  const mcuc_add_plane_params *p = (const mcuc_add_plane_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  const int32_t c = p->channels;
  int32_t i;

  if (io->src_step[0] == c && io->src_step[1] == c && io->dst_step == c) {
    mcuc_add_mve_run(p, (const int8_t *)io->src[0], (const int8_t *)io->src[1], (int8_t *)io->dst,
                     io->n * c);
    return;
  }
  for (i = 0; i < io->n; ++i) {
    mcuc_add_mve_run(p, (const int8_t *)io->src[0] + i * io->src_step[0],
                     (const int8_t *)io->src[1] + i * io->src_step[1],
                     (int8_t *)io->dst + i * io->dst_step, c);
  }
}
