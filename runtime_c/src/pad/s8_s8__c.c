/* Padding of any axis of a tensor of up to five axes, portable C, whole form.
 *
 * src : in_size elements     dst : out_size elements     no scratch.
 * Fills the output, then copies the rows of the last axis. Bit-exact to mcuc/ops/pad.py:ref.
 */
#include "pad/pad.h"

/* Number of elements of a shape. */
static int32_t mcuc_pad_elements(const int32_t *size)
{
  int32_t n = 1;
  int32_t i;
  for (i = 0; i < MCUC_PAD_RANK; ++i) {
    n *= size[i];
  }
  return n;
}

MCUC_FN void mcuc_pad_s8_s8__c(const void *params, const void *call)
{
  const mcuc_pad_params *p = (const mcuc_pad_params *)params;
  const mcuc_whole_call *c = (const mcuc_whole_call *)call;
  const int32_t run = p->in_size[MCUC_PAD_RANK - 1] * p->element;
  const int32_t runs = mcuc_pad_elements(p->in_size) / p->in_size[MCUC_PAD_RANK - 1];
  const uint8_t *src = (const uint8_t *)c->src[0];
  uint8_t *dst = (uint8_t *)c->dst;
  int32_t r;

  mcuc_pad_fill(dst, p->fill, p->element, mcuc_pad_elements(p->out_size) * p->element);
  for (r = 0; r < runs; ++r) {
    int32_t rest = r;
    int32_t stride = p->out_size[MCUC_PAD_RANK - 1];
    int32_t offset = p->before[MCUC_PAD_RANK - 1];
    int32_t axis;
    for (axis = MCUC_PAD_RANK - 2; axis >= 0; --axis) {
      offset += (rest % p->in_size[axis] + p->before[axis]) * stride;
      rest /= p->in_size[axis];
      stride *= p->out_size[axis];
    }
    memcpy(dst + offset * p->element, src + r * run, (size_t)run);
  }
}
