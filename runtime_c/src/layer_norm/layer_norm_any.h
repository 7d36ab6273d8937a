/* Layer normalization of integers over the channels:
 *
 *   d = n q - sum q,  y = clamp(d / sqrt(sum d^2 + epsilon) factor + offset)
 *
 * src : pixels of `channels` elements
 * dst : pixels of `channels` elements; may be src
 * |d| < 2^31 and the sum of squares < 2^63 for up to 2^15 channels of int8, 2^11 of int16.
 * Bit-exact to mcuc/ops/layer_norm.py:ref.
 */
#include "layer_norm/layer_norm.h"
#include "mcuc/program.h"

MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const mcuc_layer_norm_integer_params *p = (const mcuc_layer_norm_integer_params *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  const int32_t n = p->channels;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const MCUC_ELEMENT *src = (const MCUC_ELEMENT *)mcuc_at(io->src[0], i * io->src_step[0]);
    MCUC_ELEMENT *dst = (MCUC_ELEMENT *)mcuc_to(io->dst, i * io->dst_step);
    int64_t squares = 0;
    int32_t sum = 0;
    int32_t multiplier, right;
    for (c = 0; c < n; ++c) {
      sum += src[c];
    }
    for (c = 0; c < n; ++c) {
      const int32_t d = n * src[c] - sum;
      squares += (int64_t)d * d;
    }
    multiplier = mcuc_layer_norm_root(squares, p, &right);
    for (c = 0; c < n; ++c) {
      dst[c] = (MCUC_ELEMENT)mcuc_layer_norm_one(n * src[c] - sum, multiplier, right, p, c);
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_ELEMENT
