/* Average pool over the whole map, Helium, fold form: rows are summed as they come.
 *
 *   y[c] = clamp(round(sum over all pixels x[pixel][c] / elements))
 *
 * src : rows of pixels of `channels` s8     acc : int32[channels], 4-byte aligned
 * dst : one pixel of `channels` s8
 * Sixteen channels at a time, then four. |sum| < 2^30 as in the portable kernel.
 * Bit-exact to mcuc/ops/average_pool2d.py:ref.
 */
#include "average_pool2d/average_pool2d_global.h"
#include "mcuc/mve.h"

#if MCUC_MVE

static void mcuc_average_pool2d_mve_row(const mcuc_average_pool2d_global_params *p,
                                        const mcuc_fold_call *io, int32_t *acc)
{
  int32_t c = 0;
  int32_t i;
  for (; c + 16 <= p->channels && io->n > 0; c += 16) {
    const int8_t *x = (const int8_t *)io->src + c;
    /* VLDRB that widens takes low registers only. */
    __asm__ volatile(
        "vldrw.32 q0, [%[acc]]\n\t"
        "vldrw.32 q1, [%[acc], #16]\n\t"
        "vldrw.32 q2, [%[acc], #32]\n\t"
        "vldrw.32 q3, [%[acc], #48]\n\t"
        "dls lr, %[n]\n\t"
        "1:\n\t"
        "vldrb.s32 q4, [%[x]]\n\t"
        "vldrb.s32 q5, [%[x], #4]\n\t"
        "vldrb.s32 q6, [%[x], #8]\n\t"
        "vldrb.s32 q7, [%[x], #12]\n\t"
        "vadd.i32 q0, q0, q4\n\t"
        "vadd.i32 q1, q1, q5\n\t"
        "vadd.i32 q2, q2, q6\n\t"
        "vadd.i32 q3, q3, q7\n\t"
        "add %[x], %[step]\n\t"
        "le lr, 1b\n\t"
        "vstrw.32 q0, [%[acc]], #64\n\t"
        "vstrw.32 q1, [%[acc], #-48]\n\t"
        "vstrw.32 q2, [%[acc], #-32]\n\t"
        "vstrw.32 q3, [%[acc], #-16]\n\t"
        : [x] "+l"(x), [acc] "+r"(acc)
        : [n] "r"(io->n), [step] "r"(io->src_step)
        : "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "lr", "cc", "memory");
  }
  for (; c < p->channels; c += 4) {
    const mve_pred16_t some = vctp32q((uint32_t)(p->channels - c));
    const int8_t *x = (const int8_t *)io->src + c;
    int32x4_t sum = vldrwq_z_s32(acc, some);
    for (i = 0; i < io->n; ++i) {
      sum = vaddq_s32(sum, vldrbq_z_s32(x, some));
      x += io->src_step;
    }
    vstrwq_p_s32(acc, sum, some);
    acc += 4;
  }
}

#else

static void mcuc_average_pool2d_mve_row(const mcuc_average_pool2d_global_params *p,
                                        const mcuc_fold_call *io, int32_t *acc)
{
  int32_t c, i;
  for (i = 0; i < io->n; ++i) {
    for (c = 0; c < p->channels; ++c) {
      acc[c] += ((const int8_t *)io->src)[i * io->src_step + c];
    }
  }
}

#endif

MCUC_FN void mcuc_average_pool2d_s8_s8_global__mve_16(const void *params, const void *call)
{
  mcuc_average_pool2d_fold((const mcuc_average_pool2d_global_params *)params,
                           (const mcuc_fold_call *)call, mcuc_average_pool2d_mve_row);
}
