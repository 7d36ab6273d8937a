/* fold form: reduces the rows of an operand, as they come, into accumulators that the plan holds in
 * scratch for as long as the segment runs. */
#include "mcuc/program.h"

MCUC_FN void mcuc_form_fold(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
  const mcuc_view *view = &step->in[0].view;
  const int32_t end = y + n;
  mcuc_fold_call call;

  call.src_step = view->pixel_stride;
  call.n = step->window->in_w;
  call.acc = mcuc_address(memory, &step->scratch);
  call.dst = mcuc_output_at(memory, &step->out, step->out.y0, step->x0);
  call.dst_step = step->out.pixel_stride;
  call.src = 0;
  if (y == step->y0) {
    call.phase = MCUC_FOLD_INIT;
    step->kernel(step->params, &call);
  }
  call.phase = MCUC_FOLD_STEP;
  for (; y < end; ++y) {
    call.src = mcuc_pixel_at(memory, view, y, view->x0);
    step->kernel(step->params, &call);
  }
  if (end == step->y1) {
    call.phase = MCUC_FOLD_FINISH;
    step->kernel(step->params, &call);
  }
}
