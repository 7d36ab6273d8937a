/* window form: resolves kernel rows to pointers, so that kernels see neither rings nor the map's
 * edges.
 *
 * Output pixels whose windows lie inside the map's columns are computed in place, a row of them per
 * call. The others are computed one by one, unless the kernel takes edges (then there are none: the
 * compiler counts all columns as inner). Where a window reaches outside the map the kernel gets
 * the part that lies inside, and where in the kernel that part begins.
 */
#include "mcuc/program.h"

/* The kernel rows (or columns) [first, end) of a window at `start` that lie in [0, size). */
static void mcuc_present(int32_t start, int32_t size, int32_t kernel, int32_t dilation,
                         int32_t *first, int32_t *end)
{
  *first = start < 0 ? (-start + dilation - 1) / dilation : 0;
  *first = *first < kernel ? *first : kernel;
  *end = start < size ? (size - start + dilation - 1) / dilation : 0;
  *end = *end < kernel ? *end : kernel;
  *end = *end > *first ? *end : *first;
}

/* One output pixel whose window reaches outside the map. */
static void mcuc_border_pixel(const mcuc_step *step, const mcuc_memory *memory, int32_t y,
                              int32_t x, const void **rows, mcuc_window_call *call)
{
  const mcuc_window *window = step->window;
  const int32_t top = y * window->stride_h - window->pad_top;
  const int32_t left = x * window->stride_w - window->pad_left;
  int32_t last;
  int32_t i;

  mcuc_present(left, window->in_w, window->kernel_w, window->dilation_w, &call->left, &last);
  call->kernel_w = last - call->left;
  mcuc_present(top, window->in_h, window->kernel_h, window->dilation_h, &call->top, &last);
  call->kernel_h = last - call->top;
  for (i = 0; i < call->kernel_h; ++i) {
    rows[i] = mcuc_pixel_at(memory, &step->in[0].view, top + (call->top + i) * window->dilation_h,
                            left + call->left * window->dilation_w);
  }
  call->n = 1;
  call->dst = mcuc_output_at(memory, &step->out, y, x);
  step->kernel(step->params, call);
}

MCUC_FN void mcuc_form_window(const mcuc_step *step, const mcuc_memory *memory, int32_t y,
                              int32_t n)
{
  const mcuc_window *window = step->window;
  const mcuc_view *view = &step->in[0].view;
  const void *rows[MCUC_MAX_KERNEL_ROWS];
  mcuc_window_call call;
  const int32_t end = y + n;

  call.rows = rows;
  call.in_step = view->pixel_stride;
  call.dst_step = step->out.pixel_stride;
  call.scratch = mcuc_address(memory, &step->scratch);
  call.in_w = window->in_w;
  for (; y < end; ++y) {
    const int32_t top = y * window->stride_h - window->pad_top;
    const int32_t left = window->inner_x0 * window->stride_w - window->pad_left;
    int32_t x = step->x0;
    int32_t last;
    int32_t i;
    for (; x < window->inner_x0; ++x) {
      mcuc_border_pixel(step, memory, y, x, rows, &call);
    }
    call.n = window->inner_x1 - x;
    if (call.n > 0) {
      mcuc_present(top, window->in_h, window->kernel_h, window->dilation_h, &call.top, &last);
      call.kernel_h = last - call.top;
      for (i = 0; i < call.kernel_h; ++i) {
        rows[i] = mcuc_pixel_at(memory, view, top + (call.top + i) * window->dilation_h,
                                left < 0 ? 0 : left);
      }
      call.left = 0;
      call.start = left;
      call.kernel_w = window->kernel_w;
      call.dst = mcuc_output_at(memory, &step->out, y, x);
      step->kernel(step->params, &call);
      x = window->inner_x1;
    }
    for (; x < step->x1; ++x) {
      mcuc_border_pixel(step, memory, y, x, rows, &call);
    }
  }
}
