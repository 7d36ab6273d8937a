/* Depthwise convolution 7x7 with channel multiplier 1, DSP extension, window form with edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : 7 rows of s8 pixels     dst : [n][channels] s8     channels >= 4, stride 1 or 2
 * scratch : 7 rows of four planes of MCUC_POLY_WORDS s32, and 26 s32.
 * Sums and parts of them are below 2^20, what they start with included.
 * Blocks of six pixels by one channel, as products of polynomials. Bit-exact to
 * mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_poly_run.h"

/* clang-format off */

/* 16 instructions for 42 products; weights 01, 23, 45, 6. */
#define MCUC_POLY_TURN_7_1(i)                                                \
  "ldm r2!, {r10, r11, r12, lr}\n\t"                                         \
  MCUC_POLY_X2(i - 3, 0)                                                     \
  MCUC_POLY_A("r0", "r10") MCUC_POLY_B("r3", "r10") MCUC_POLY_A("r3", "r11") \
  MCUC_POLY_X2(i - 3, 2)                                                     \
  MCUC_POLY_C("r0", "r10") MCUC_POLY_B("r0", "r11") MCUC_POLY_A("r0", "r12") \
  MCUC_POLY_C("r3", "r11") MCUC_POLY_B("r3", "r12") MCUC_POLY_A("r3", "lr")  \
  MCUC_POLY_X2(i - 3, 4)                                                     \
  MCUC_POLY_C("r0", "r12") MCUC_POLY_B("r0", "lr") MCUC_POLY_C("r3", "lr")
#define MCUC_POLY_ALONE_7_1(i)                                               \
  "ldm r2!, {r10, r11, r12, lr}\n\t"                                         \
  MCUC_POLY_X2(i - 3, 0)                                                     \
  MCUC_POLY_A("r0", "r10") MCUC_POLY_A("r3", "r11")                          \
  MCUC_POLY_X2(i - 3, 2)                                                     \
  MCUC_POLY_A("r0", "r12") MCUC_POLY_A("r3", "lr")

/* 17 instructions; weights 02, 46, 13, 5. */
#define MCUC_POLY_TURN_7_2(i)                                                \
  "ldm r2!, {r10, r11, r12, lr}\n\t"                                         \
  MCUC_POLY_X2(i - 3, 0)                                                     \
  MCUC_POLY_A("r0", "r10") MCUC_POLY_A("r3", "r12")                          \
  MCUC_POLY_X2(i - 3, 2)                                                     \
  MCUC_POLY_B("r0", "r10") MCUC_POLY_A("r0", "r11") MCUC_POLY_B("r3", "r12") \
  MCUC_POLY_A("r3", "lr")                                                    \
  MCUC_POLY_X2(i - 3, 4)                                                     \
  MCUC_POLY_C("r0", "r10") MCUC_POLY_B("r0", "r11") MCUC_POLY_C("r3", "r12") \
  MCUC_POLY_B("r3", "lr")                                                    \
  MCUC_POLY_X2(i - 3, 6)                                                     \
  MCUC_POLY_C("r0", "r11") MCUC_POLY_C("r3", "lr")
#define MCUC_POLY_ALONE_7_2(i)                                               \
  "ldm r2!, {r10, r11, r12, lr}\n\t"                                         \
  MCUC_POLY_X2(i - 3, 0)                                                     \
  MCUC_POLY_A("r0", "r10") MCUC_POLY_A("r3", "r12")                          \
  MCUC_POLY_X2(i - 3, 2)                                                     \
  MCUC_POLY_A("r0", "r11") MCUC_POLY_A("r3", "lr")

/* clang-format on */

MCUC_POLY_INNER(mcuc_poly_7_stride_1, 7, 1)
MCUC_POLY_INNER(mcuc_poly_7_stride_2, 7, 2)

static void mcuc_poly_7(const mcuc_poly_row *row, int32_t stride)
{
  if (stride == 1) {
    mcuc_poly_7_stride_1(row);
  } else {
    mcuc_poly_7_stride_2(row);
  }
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_k7__dsp_6x1(const void *params, const void *call)
{
  mcuc_poly_run((const mcuc_depthwise_poly_params *)params, (const mcuc_window_call *)call, 7,
                mcuc_poly_7);
}
