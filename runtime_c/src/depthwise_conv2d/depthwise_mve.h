/* DEPTHWISE_CONV_2D of int8 by Helium: the record. */
#ifndef MCUC_DEPTHWISE_MVE_H
#define MCUC_DEPTHWISE_MVE_H

#include "mcuc/mve.h"
#include "mcuc/program.h"

#define MCUC_DEPTHWISE_MVE_PLANE 256
#define MCUC_DEPTHWISE_MVE_CHANNELS 8

/* Filled by mcuc/ops/depthwise_mve.py. `stream` has for each channel bias, multiplier, constant and
 * left of mcuc_mve_scales, then its weights column by column, zeros filling columns up to `height`
 * and all up to whole vectors. */
typedef struct mcuc_depthwise_mve_params {
  const int32_t *stream;
  int32_t channels;
  int32_t height;  /* bytes of a column: 1, 2, 4 or 8 */
  int32_t vectors; /* of weights, 1 to 4 */
  int32_t kernel_h, kernel_w;
  int32_t stride_w;
  int32_t in_zero; /* the input's zero point: what padding holds */
  mcuc_mve_finish finish;
} mcuc_depthwise_mve_params;

#endif
