/* whole form: for ops that have no useful row rule (a transpose, a reduction over channels). */
#include "mcuc/program.h"

MCUC_FN void mcuc_form_whole(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
  mcuc_whole_call call;
  int32_t k;

  (void)n; /* all rows at once */
  for (k = 0; k < step->n_in; ++k) {
    const mcuc_view *view = &step->in[k].view;
    call.src[k] = mcuc_pixel_at(memory, view, view->y0, view->x0);
  }
  call.dst = mcuc_output_at(memory, &step->out, y, step->x0);
  call.scratch = mcuc_address(memory, &step->scratch);
  step->kernel(step->params, &call);
}
