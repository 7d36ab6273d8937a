/* Depthwise convolution 7x7 with channel multiplier 1, multiply-accumulate, window form with edges.
 *
 *   y[n][c] = finish(bias[c] + sum_ij x[i][n * stride + j][c] * w[i][j][c])
 *
 * rows : 7 rows of s8 pixels     dst : [n][channels] s8     channels >= 4, stride 1 or 2
 * scratch : four planes of 7 rows of MCUC_PLANAR_PIXELS s16.
 * Blocks of four pixels by one channel. Bit-exact to mcuc/ops/depthwise_conv2d.py:ref.
 */
#include "depthwise_conv2d/depthwise_planar_mac.h"

#define MCUC_PLANAR_MAC_7_ROW_1(i)                                 \
  MCUC_PLANAR_MAC_LOAD(i, 0, 1)                                    \
  MCUC_PLANAR_MAC_TAP(i * 7, "r9", "r10", "r11", "r12")            \
  MCUC_PLANAR_MAC_NEXT(i * 7 + 1, i, 1, "r9", "r10", "r11", "r12") \
  MCUC_PLANAR_MAC_NEXT(i * 7 + 2, i, 2, "r10", "r11", "r12", "r9") \
  MCUC_PLANAR_MAC_NEXT(i * 7 + 3, i, 3, "r11", "r12", "r9", "r10") \
  MCUC_PLANAR_MAC_NEXT(i * 7 + 4, i, 4, "r12", "r9", "r10", "r11") \
  MCUC_PLANAR_MAC_NEXT(i * 7 + 5, i, 5, "r9", "r10", "r11", "r12") \
  MCUC_PLANAR_MAC_NEXT(i * 7 + 6, i, 6, "r10", "r11", "r12", "r9")

MCUC_PLANAR_MAC_INNER(mcuc_planar_mac_7_stride_1, 7, 1,
                      MCUC_PLANAR_MAC_7_ROW_1(0) MCUC_PLANAR_MAC_7_ROW_1(1)
                          MCUC_PLANAR_MAC_7_ROW_1(2) MCUC_PLANAR_MAC_7_ROW_1(3)
                              MCUC_PLANAR_MAC_7_ROW_1(4) MCUC_PLANAR_MAC_7_ROW_1(5)
                                  MCUC_PLANAR_MAC_7_ROW_1(6),
                      8)

#define MCUC_PLANAR_MAC_7_ROW_2(i)       \
  MCUC_PLANAR_MAC_APART(i * 7 + 0, i, 0) \
  MCUC_PLANAR_MAC_APART(i * 7 + 1, i, 1) \
  MCUC_PLANAR_MAC_APART(i * 7 + 2, i, 2) \
  MCUC_PLANAR_MAC_APART(i * 7 + 3, i, 3) \
  MCUC_PLANAR_MAC_APART(i * 7 + 4, i, 4) \
  MCUC_PLANAR_MAC_APART(i * 7 + 5, i, 5) \
  MCUC_PLANAR_MAC_APART(i * 7 + 6, i, 6)

MCUC_PLANAR_MAC_INNER(mcuc_planar_mac_7_stride_2, 7, 2,
                      MCUC_PLANAR_MAC_7_ROW_2(0) MCUC_PLANAR_MAC_7_ROW_2(1)
                          MCUC_PLANAR_MAC_7_ROW_2(2) MCUC_PLANAR_MAC_7_ROW_2(3)
                              MCUC_PLANAR_MAC_7_ROW_2(4) MCUC_PLANAR_MAC_7_ROW_2(5)
                                  MCUC_PLANAR_MAC_7_ROW_2(6),
                      16)

static void mcuc_planar_mac_7(mcuc_planar_row *row, int32_t stride)
{
  if (stride == 1) {
    mcuc_planar_mac_7_stride_1(row);
  } else {
    mcuc_planar_mac_7_stride_2(row);
  }
}

MCUC_FN void mcuc_depthwise_conv2d_s8_s8_s8_k7__c_4x1(const void *params, const void *call)
{
  mcuc_planar_run((const mcuc_depthwise_planar_params *)params, (const mcuc_window_call *)call, 7,
                  4 + (7 * 7 + 3) / 4, mcuc_planar_mac_7, 0);
}
