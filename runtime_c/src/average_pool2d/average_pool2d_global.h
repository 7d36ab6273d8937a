/* AVERAGE_POOL_2D of int8 over the whole map: what its kernels share. */
#ifndef MCUC_AVERAGE_POOL2D_GLOBAL_H
#define MCUC_AVERAGE_POOL2D_GLOBAL_H

#include "average_pool2d/average_pool2d.h"

/* Adds the pixels of a row to acc: int32[channels]. */
typedef void (*mcuc_average_pool2d_row)(const mcuc_average_pool2d_global_params *p,
                                        const mcuc_fold_call *io, int32_t *acc);

static inline void mcuc_average_pool2d_global_finish(const mcuc_average_pool2d_global_params *p,
                                                     const int32_t *acc, int8_t *dst)
{
  int32_t c;
  for (c = 0; c < p->channels; ++c) {
    int32_t mean = p->half_up ? mcuc_divide_rounding_half_up(acc[c], p->elements)
                              : mcuc_divide_rounding_half_away(acc[c], p->elements);
    mean = mean < p->low ? p->low : mean;
    mean = mean > p->high ? p->high : mean;
    dst[c] = (int8_t)mean;
  }
}

/* A call of a kernel that adds rows by `row`. */
static inline void mcuc_average_pool2d_fold(const mcuc_average_pool2d_global_params *p,
                                            const mcuc_fold_call *io, mcuc_average_pool2d_row row)
{
  int32_t *acc = (int32_t *)io->acc;
  int32_t c;

  switch (io->phase) {
    case MCUC_FOLD_INIT:
      for (c = 0; c < p->channels; ++c) {
        acc[c] = 0;
      }
      break;
    case MCUC_FOLD_STEP:
      row(p, io, acc);
      break;
    default:
      mcuc_average_pool2d_global_finish(p, acc, (int8_t *)io->dst);
      break;
  }
}

#endif
