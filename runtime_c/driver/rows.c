/* rows form: one kernel call per output row, for ops whose input rows follow no window: slices,
 * resizes, transposed convolutions. */
#include "mcuc/program.h"

MCUC_FN void mcuc_form_rows(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
  mcuc_rows_call call;
  const int32_t end = y + n;

  call.memory = memory;
  call.in = step->in;
  call.dst_step = step->out.pixel_stride;
  call.x = step->x0;
  call.n = step->x1 - step->x0;
  call.scratch = mcuc_address(memory, &step->scratch);
  for (call.y = y; call.y < end; ++call.y) {
    call.dst = mcuc_output_at(memory, &step->out, call.y, step->x0);
    step->kernel(step->params, &call);
  }
}
