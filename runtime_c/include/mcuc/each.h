/* The body of kernels that make each element of a pixel from one of the input: dst = f(src).
 *
 * Included once by every such kernel, behind what makes it that one (and forgotten here again):
 *   MCUC_KERNEL        symbol
 *   MCUC_PARAMS        record, with `channels`
 *   MCUC_IN, MCUC_OUT  element types
 *   MCUC_EACH(p, x)    the function
 */
MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const MCUC_PARAMS *p = (const MCUC_PARAMS *)params;
  const mcuc_pixel_call *io = (const mcuc_pixel_call *)call;
  int32_t i, c;

  for (i = 0; i < io->n; ++i) {
    const MCUC_IN *src = (const MCUC_IN *)mcuc_at(io->src[0], i * io->src_step[0]);
    MCUC_OUT *dst = (MCUC_OUT *)mcuc_to(io->dst, i * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = (MCUC_OUT)MCUC_EACH(p, src[c]);
    }
  }
}

#undef MCUC_KERNEL
#undef MCUC_PARAMS
#undef MCUC_IN
#undef MCUC_OUT
#undef MCUC_EACH
