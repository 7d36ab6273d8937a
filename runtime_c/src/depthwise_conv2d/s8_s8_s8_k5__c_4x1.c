/* Depthwise convolution 5x5 with channel multiplier 1, multiply-accumulate, window form with edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : 5 rows of s8 pixels     dst : [n][channels] s8     channels >= 4, stride 1 or 2
 * scratch : four planes of 5 rows of MCUC_PLANAR_PIXELS s16.
 * Blocks of four pixels by one channel. Bit-exact to mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_planar_mac.h"

#define MCUC_PLANAR_MAC_5_ROW_1(i)                                 \
  MCUC_PLANAR_MAC_LOAD(i, 0, 1)                                    \
  MCUC_PLANAR_MAC_TAP(i * 5, "r9", "r10", "r11", "r12")            \
  MCUC_PLANAR_MAC_NEXT(i * 5 + 1, i, 1, "r9", "r10", "r11", "r12") \
  MCUC_PLANAR_MAC_NEXT(i * 5 + 2, i, 2, "r10", "r11", "r12", "r9") \
  MCUC_PLANAR_MAC_NEXT(i * 5 + 3, i, 3, "r11", "r12", "r9", "r10") \
  MCUC_PLANAR_MAC_NEXT(i * 5 + 4, i, 4, "r12", "r9", "r10", "r11")

MCUC_PLANAR_MAC_INNER(mcuc_planar_mac_5_stride_1, 5, 1,
                      MCUC_PLANAR_MAC_5_ROW_1(0) MCUC_PLANAR_MAC_5_ROW_1(1)
                          MCUC_PLANAR_MAC_5_ROW_1(2) MCUC_PLANAR_MAC_5_ROW_1(3)
                              MCUC_PLANAR_MAC_5_ROW_1(4),
                      8)

#define MCUC_PLANAR_MAC_5_ROW_2(i)       \
  MCUC_PLANAR_MAC_APART(i * 5 + 0, i, 0) \
  MCUC_PLANAR_MAC_APART(i * 5 + 1, i, 1) \
  MCUC_PLANAR_MAC_APART(i * 5 + 2, i, 2) \
  MCUC_PLANAR_MAC_APART(i * 5 + 3, i, 3) \
  MCUC_PLANAR_MAC_APART(i * 5 + 4, i, 4)

MCUC_PLANAR_MAC_INNER(mcuc_planar_mac_5_stride_2, 5, 2,
                      MCUC_PLANAR_MAC_5_ROW_2(0) MCUC_PLANAR_MAC_5_ROW_2(1)
                          MCUC_PLANAR_MAC_5_ROW_2(2) MCUC_PLANAR_MAC_5_ROW_2(3)
                              MCUC_PLANAR_MAC_5_ROW_2(4),
                      16)

static void mcuc_planar_mac_5(mcuc_planar_row *row, int32_t stride)
{
  if (stride == 1) {
    mcuc_planar_mac_5_stride_1(row);
  } else {
    mcuc_planar_mac_5_stride_2(row);
  }
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_k5__c_4x1(const void *params, const void *call)
{
  mcuc_planar_run((const mcuc_depthwise_planar_params *)params, (const mcuc_window_call *)call, 5,
                  4 + (5 * 5 + 3) / 4, mcuc_planar_mac_5, 0);
}
