/* pixel form: one kernel call per maximal run of pixels that lie one after another. */
#include "mcuc/program.h"

/* Rows of a view from row y on that follow each other in memory without a wrap. */
static int32_t mcuc_rows_to_wrap(const mcuc_view *view, int32_t y)
{
  int32_t slot = y - view->y0;
  if (slot >= view->rows) {
    slot %= view->rows;
  }
  return view->rows - slot;
}

static int32_t mcuc_min(int32_t a, int32_t b)
{
  return a < b ? a : b;
}

MCUC_FN void mcuc_form_pixel(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
  mcuc_pixel_call call;
  const int32_t width = step->x1 - step->x0;
  const int32_t end = y + n;
  int32_t linear = step->out.row_stride == width * step->out.pixel_stride;
  int32_t k;

  for (k = 0; k < step->n_in; ++k) {
    const mcuc_view *view = &step->in[k].view;
    linear = linear && view->row_stride == width * view->pixel_stride;
    call.src_step[k] = view->pixel_stride;
  }
  call.dst_step = step->out.pixel_stride;
  call.scratch = mcuc_address(memory, &step->scratch);
  while (y < end) {
    int32_t rows = 1;
    if (linear) {
      rows = mcuc_min(end - y, mcuc_rows_to_wrap(&step->out, y));
      for (k = 0; k < step->n_in; ++k) {
        rows = mcuc_min(rows, mcuc_rows_to_wrap(&step->in[k].view, y));
      }
    }
    for (k = 0; k < step->n_in; ++k) {
      call.src[k] = mcuc_pixel_at(memory, &step->in[k].view, y, step->x0);
    }
    call.dst = mcuc_output_at(memory, &step->out, y, step->x0);
    call.n = rows * width;
    step->kernel(step->params, &call);
    y += rows;
  }
}
