/* The body of kernels that make each element of a pixel from one of either operand, with broadcast:
 * dst = f(a, b).
 *
 * a, b : pixels of `channels` elements, or of one where a_step / b_step is 0; broadcast over rows
 *        and columns is a stride of 0 in the operand's view
 * dst  : pixels of `channels` elements; may be an operand whose elements are as large
 *
 * Included once by every such kernel, behind what makes it that one (and forgotten here again):
 *   MCUC_KERNEL        symbol
 *   MCUC_PARAMS        record, with `channels`, `a_step` and `b_step` (1, or 0)
 *   MCUC_IN, MCUC_OUT  element types
 *   MCUC_EACH(p, a, b) the function
 */
MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const MCUC_PARAMS *p = (const MCUC_PARAMS *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const MCUC_IN *a = (const MCUC_IN *)mcuc_at(io->src[0], i * io->src_step[0]);
    const MCUC_IN *b = (const MCUC_IN *)mcuc_at(io->src[1], i * io->src_step[1]);
    MCUC_OUT *dst = (MCUC_OUT *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = (MCUC_OUT)MCUC_EACH(p, *a, *b);
      a += p->a_step;
      b += p->b_step;
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_PARAMS
#undef MCUC_IN
#undef MCUC_OUT
#undef MCUC_EACH
