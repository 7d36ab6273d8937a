/* ADD, int8, with broadcast, where the host has found a plane that is the same as the rule:
 * clamp((a * a_multiplier + b * b_multiplier + constant) >> right).
 *
 * a, b : pixels of `channels` int8, or of one where a_step / b_step is 0; broadcast over rows and
 *        columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` int8; may be a or b
 * All sums are int32. Bit-exact to mcuc/ops/add.py:ref.
 */
#include "add/add.h"
#include "mcuc/dsp.h"
#include "mcuc/program.h"

static inline int8_t mcuc_add_plane_at(int32_t sum, int32_t right)
{
  return (int8_t)mcuc_dsp_ssat8(sum >> right);
}

MCUC_FN void mcuc_add_s8_s8_s8_plane__c(const void *params, const void *call)
{
  const mcuc_add_plane_params *p = (const mcuc_add_plane_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  /* local, so that the compiler knows that dst does not change them */
  const int32_t a_factor = p->a_multiplier, b_factor = p->b_multiplier;
  const int32_t constant = p->constant, right = p->right;
  const int32_t a_step = p->a_step, b_step = p->b_step;
  int32_t i;

  for (i = 0; i < io->n; ++i) {
    const int8_t *a = (const int8_t *)io->src[0] + i * io->src_step[0];
    const int8_t *b = (const int8_t *)io->src[1] + i * io->src_step[1];
    int8_t *const dst = (int8_t *)io->dst + i * io->dst_step;
    int8_t *y = dst;
    int32_t c = p->channels;
    if (a_step == 1 && b_step == 1) {
      for (; c >= 4; c -= 4) {
        y[0] = mcuc_add_plane_at(constant + a[0] * a_factor + b[0] * b_factor, right);
        y[1] = mcuc_add_plane_at(constant + a[1] * a_factor + b[1] * b_factor, right);
        y[2] = mcuc_add_plane_at(constant + a[2] * a_factor + b[2] * b_factor, right);
        y[3] = mcuc_add_plane_at(constant + a[3] * a_factor + b[3] * b_factor, right);
        a += 4;
        b += 4;
        y += 4;
      }
    }
    for (; c > 0; --c) {
      *y++ = mcuc_add_plane_at(constant + *a * a_factor + *b * b_factor, right);
      a += a_step;
      b += b_step;
    }
    if (p->low > -128 || p->high < 127) {
      for (c = 0; c < p->channels; ++c) {
        dst[c] = (int8_t)(dst[c] < p->low ? p->low : dst[c] > p->high ? p->high : dst[c]);
      }
    }
  }
}
