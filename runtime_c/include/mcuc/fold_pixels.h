/* The body of kernels that make one pixel of all pixels of a map, in the order in which they come:
 * fold form.
 *
 * src : rows of pixels of `channels` elements     acc : MCUC_SUM[channels], aligned to it
 * dst : one pixel of `channels` elements
 *
 * Included once by every such kernel, behind what makes it that one (and forgotten here again):
 *   MCUC_KERNEL            symbol
 *   MCUC_PARAMS            record, with `channels`
 *   MCUC_ELEMENT, MCUC_SUM types of the elements and of their sums (or products, or maxima)
 *   MCUC_START(p)          a sum of nothing
 *   MCUC_STEP(p, sum, x)   a sum with one element more
 *   MCUC_RESULT(p, sum)    what is made of the sum in the end
 */
MCUC_FN void MCUC_KERNEL(const void *params, const void *call)
{
  const MCUC_PARAMS *p = (const MCUC_PARAMS *)params;
  const mcuc_fold_call *io = (const mcuc_fold_call *)call;
  MCUC_SUM *acc = (MCUC_SUM *)io->acc;
  MCUC_ELEMENT *dst = (MCUC_ELEMENT *)io->dst;
  int32_t i, c;

  switch (io->phase) {
    case MCUC_FOLD_INIT:
      for (c = 0; c < p->channels; ++c) {
        acc[c] = (MCUC_SUM)MCUC_START(p);
      }
      break;
    case MCUC_FOLD_STEP:
      for (c = 0; c < p->channels; ++c) { /* its sum stays in a register over the row */
        const MCUC_ELEMENT *src = (const MCUC_ELEMENT *)io->src + c;
        MCUC_SUM sum = acc[c];
        for (i = 0; i < io->n; ++i) {
          sum = (MCUC_SUM)MCUC_STEP(p, sum, *src);
          src = (const MCUC_ELEMENT *)mcuc_at(src, io->src_step);
        }
        acc[c] = sum;
      }
      break;
    default:
      for (c = 0; c < p->channels; ++c) {
        dst[c] = (MCUC_ELEMENT)MCUC_RESULT(p, acc[c]);
      }
      break;
  }
}

#undef MCUC_KERNEL
#undef MCUC_PARAMS
#undef MCUC_ELEMENT
#undef MCUC_SUM
#undef MCUC_START
#undef MCUC_STEP
#undef MCUC_RESULT
