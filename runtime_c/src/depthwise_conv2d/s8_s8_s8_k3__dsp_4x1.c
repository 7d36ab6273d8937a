/* Depthwise convolution 3x3 with channel multiplier 1, DSP extension, window form with edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : 3 rows of s8 pixels     dst : [n][channels] s8     channels >= 4, stride 1 or 2
 * scratch : four planes of 3 rows of MCUC_PLANAR_PIXELS s16.
 * Blocks of four pixels by one channel. Bit-exact to mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_planar_dsp.h"

#define MCUC_PLANAR_3_ROW_1(i)                                                                   \
  "ldrd r11, r12, [r2, #(12 + 8 * " #i ")]\n\t" MCUC_PLANAR_X("r9", i, 0)                        \
      MCUC_PLANAR_X("r10", i, 1) MCUC_PLANAR_D("r4", "r9", "r11")                                \
          MCUC_PLANAR_D("r5", "r10", "r11") MCUC_PLANAR_X("r9", i, 2) MCUC_PLANAR_X("r10", i, 3) \
              MCUC_PLANAR_D("r6", "r9", "r11") MCUC_PLANAR_D("r8", "r10", "r11")                 \
                  MCUC_PLANAR_B("r4", "r9", "r12") MCUC_PLANAR_B("r5", "r10", "r12")             \
                      MCUC_PLANAR_T("r6", "r10", "r12") MCUC_PLANAR_X("r9", i, 4)                \
                          MCUC_PLANAR_T("r8", "r9", "r12")

MCUC_PLANAR_INNER(mcuc_planar_3_stride_1, 3, 1,
                  MCUC_PLANAR_3_ROW_1(0) MCUC_PLANAR_3_ROW_1(1) MCUC_PLANAR_3_ROW_1(2), 8)

#define MCUC_PLANAR_3_ROW_2(i)                                                                   \
  "ldrd r11, r12, [r2, #(12 + 8 * " #i                                                           \
  ")]\n\t" MCUC_PLANAR_X("r9", i, 0) MCUC_PLANAR_X("r10", i, 2) MCUC_PLANAR_D("r4", "r9", "r11") \
      MCUC_PLANAR_D("r5", "r10", "r11") MCUC_PLANAR_B("r4", "r10", "r12")                        \
          MCUC_PLANAR_X("r9", i, 4) MCUC_PLANAR_X("r10", i, 6) MCUC_PLANAR_D("r6", "r9", "r11")  \
              MCUC_PLANAR_D("r8", "r10", "r11") MCUC_PLANAR_B("r5", "r9", "r12")                 \
                  MCUC_PLANAR_B("r6", "r10", "r12") MCUC_PLANAR_X("r9", i, 8)                    \
                      MCUC_PLANAR_B("r8", "r9", "r12")

MCUC_PLANAR_INNER(mcuc_planar_3_stride_2, 3, 2,
                  MCUC_PLANAR_3_ROW_2(0) MCUC_PLANAR_3_ROW_2(1) MCUC_PLANAR_3_ROW_2(2), 16)

static void mcuc_planar_3(mcuc_planar_row *row, int32_t stride)
{
  if (stride == 1) {
    mcuc_planar_3_stride_1(row);
  } else {
    mcuc_planar_3_stride_2(row);
  }
}

static void mcuc_planar_3_rare(const mcuc_planar_row *row, int32_t stride, int32_t n)
{
  mcuc_planar_plain(row, 3, stride, n);
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_k3__dsp_4x1(const void *params, const void *call)
{
  mcuc_planar_run((const mcuc_depthwise_planar_params *)params, (const mcuc_window_call *)call, 3,
                  3 + 3 * 2, mcuc_planar_3, mcuc_planar_3_rare);
}
