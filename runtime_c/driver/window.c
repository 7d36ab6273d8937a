/* window form: resolves kernel rows to pointers, so that kernels see neither rings nor borders.
 *
 * Output pixels whose windows lie inside the map are computed in place, many per call. The others
 * are computed one by one: `fill` borders gather the window into the step's scratch
 * (kernel_h rows of (kernel_w - 1) * dilation_w + 1 pixels), `clip` borders pass what is present.
 */
#include <string.h>

#include "mcuc/program.h"

static void mcuc_fill(uint8_t *dst, int32_t bytes, const mcuc_window *window)
{
  const int32_t value = window->fill;
  int32_t i;
  if (window->fill_bytes == 1) {
    memset(dst, (int)value, (size_t)bytes);
    return;
  }
  for (i = 0; i < bytes; i += window->fill_bytes) {
    memcpy(dst + i, &value, (size_t)window->fill_bytes); /* little endian */
  }
}

/* Copies the window of one output pixel into scratch, with `fill` outside the map. */
static void mcuc_gather(const mcuc_step *step, const mcuc_memory *memory, int32_t top, int32_t left,
                        const void **rows)
{
  const mcuc_window *window = step->window;
  const mcuc_view *view = &step->in[0].view;
  const int32_t span = (window->kernel_w - 1) * window->dilation_w + 1;
  const int32_t pitch = span * view->pixel_stride;
  const int32_t first = left < 0 ? -left : 0;
  const int32_t last = left + span > window->in_w ? window->in_w - left : span;
  uint8_t *dst = (uint8_t *)mcuc_address(memory, &step->scratch) + window->gather;
  int32_t i;

  for (i = 0; i < window->kernel_h; ++i) {
    const int32_t y = top + i * window->dilation_h;
    rows[i] = dst;
    if (y < 0 || y >= window->in_h || first >= last) {
      mcuc_fill(dst, pitch, window);
    } else {
      mcuc_fill(dst, first * view->pixel_stride, window);
      /* the last pixel may be narrower than the stride: read no byte behind the row */
      memcpy(dst + first * view->pixel_stride, mcuc_pixel_at(memory, view, y, left + first),
             (size_t)((last - first - 1) * view->pixel_stride + window->pixel_bytes));
      mcuc_fill(dst + last * view->pixel_stride, (span - last) * view->pixel_stride, window);
    }
    dst += pitch;
  }
}

/* One output pixel whose window reaches outside the map. */
static void mcuc_border_pixel(const mcuc_step *step, const mcuc_memory *memory, int32_t y,
                              int32_t x, const void **rows, mcuc_window_call *call)
{
  const mcuc_window *window = step->window;
  const int32_t top = y * window->stride_h - window->pad_top;
  const int32_t left = x * window->stride_w - window->pad_left;

  call->n = 1;
  call->dst = mcuc_output_at(memory, &step->out, y, x);
  if (window->clip) { /* clipped windows are never dilated */
    const int32_t y0 = top < 0 ? 0 : top;
    const int32_t x0 = left < 0 ? 0 : left;
    const int32_t y1 =
        top + window->kernel_h < window->in_h ? top + window->kernel_h : window->in_h;
    const int32_t x1 =
        left + window->kernel_w < window->in_w ? left + window->kernel_w : window->in_w;
    int32_t i;
    call->kernel_h = y1 - y0;
    call->kernel_w = x1 - x0;
    for (i = y0; i < y1; ++i) {
      rows[i - y0] = mcuc_pixel_at(memory, &step->in[0].view, i, x0);
    }
  } else {
    mcuc_gather(step, memory, top, left, rows);
  }
  step->kernel(step->params, call);
  call->kernel_h = window->kernel_h;
  call->kernel_w = window->kernel_w;
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
  call.kernel_h = window->kernel_h;
  call.kernel_w = window->kernel_w;
  call.scratch = mcuc_address(memory, &step->scratch);
  for (; y < end; ++y) {
    const int32_t top = y * window->stride_h - window->pad_top;
    const int32_t bottom = top + (window->kernel_h - 1) * window->dilation_h;
    int32_t x = step->x0;
    if (top >= 0 && bottom < window->in_h) {
      const int32_t left = window->inner_x0 * window->stride_w - window->pad_left;
      int32_t i;
      for (; x < window->inner_x0; ++x) {
        mcuc_border_pixel(step, memory, y, x, rows, &call);
      }
      for (i = 0; i < window->kernel_h; ++i) {
        rows[i] = mcuc_pixel_at(memory, view, top + i * window->dilation_h, left);
      }
      call.n = window->inner_x1 - window->inner_x0;
      if (call.n > 0) {
        call.dst = mcuc_output_at(memory, &step->out, y, window->inner_x0);
        step->kernel(step->params, &call);
      }
      x = window->inner_x1;
    }
    for (; x < step->x1; ++x) {
      mcuc_border_pixel(step, memory, y, x, rows, &call);
    }
  }
}
