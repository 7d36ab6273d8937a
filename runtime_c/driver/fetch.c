/* fetch form: rows of an input that the application is asked for, one at a time and only the pixels
 * that the step makes. The kernel is one of the pixel form, and copies them.
 */
#include "mcuc/program.h"

MCUC_FN void mcuc_form_fetch(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
  const mcuc_reader *reader = (const mcuc_reader *)memory->ram[step->in[0].view.place.region];
  const int32_t width = step->x1 - step->x0;
  const int32_t end = y + n;
  mcuc_pixel_call call;

  call.src_step[0] = step->out_pixel_bytes;
  call.dst_step = step->out.pixel_stride;
  call.n = width;
  call.scratch = 0;
  for (; y < end; ++y) {
    call.src[0] = reader->read(reader->context, y, step->x0, width);
    call.dst = mcuc_output_at(memory, &step->out, y, step->x0);
    step->kernel(step->params, &call);
  }
}
