/* tile form: a chain of steps, each reading what the one before it writes, advances by bands of
 * rows of its last step. A band is computed in blocks of columns, so that between the steps only a
 * few columns of a few rows exist. Columns that two blocks read are kept. Rows that two bands read
 * are computed again, or come from lines: whole rows of a step, as many as two bands share. When a
 * block needs new columns of them, they are copied from the lines, and then the newest rows of
 * these columns are copied to where the oldest were.
 */
#include <string.h>

#include "mcuc/program.h"

typedef struct mcuc_range {
  int32_t first, end;
} mcuc_range;

/* What of an operand with `size` rows (or columns) the outputs in `out` read. */
static mcuc_range mcuc_window_reads(mcuc_range out, int32_t size, int32_t kernel, int32_t stride,
                                    int32_t dilation, int32_t pad)
{
  mcuc_range in;
  in.first = out.first * stride - pad;
  in.end = (out.end - 1) * stride - pad + (kernel - 1) * dilation + 1;
  in.first = in.first < 0 ? 0 : in.first;
  in.first = in.first < size ? in.first : size;
  in.end = in.end < size ? in.end : size;
  in.end = in.end > in.first ? in.end : in.first;
  return in;
}

static mcuc_range mcuc_rows_read(const mcuc_step *step, mcuc_range out)
{
  const mcuc_window *w = step->window;
  if (w == 0 || out.first == out.end) {
    return out;
  }
  return mcuc_window_reads(out, w->in_h, w->kernel_h, w->stride_h, w->dilation_h, w->pad_top);
}

static mcuc_range mcuc_columns_read(const mcuc_step *step, mcuc_range out)
{
  const mcuc_window *w = step->window;
  if (w == 0 || out.first == out.end) {
    return out;
  }
  return mcuc_window_reads(out, w->in_w, w->kernel_w, w->stride_w, w->dilation_w, w->pad_left);
}

/* What a tile holds of one step's output; rows from `fresh` on are computed in this band. */
typedef struct mcuc_tile_part {
  mcuc_range rows;
  mcuc_range columns;
  int32_t fresh;
} mcuc_tile_part;

/* Copies bytes, also to a lower address that overlaps, by words where it can: memmove of small C
 * libraries does not. */
static void mcuc_move_down(uint8_t *dst, const uint8_t *src, int32_t n)
{
  if ((((uintptr_t)dst | (uintptr_t)src | (uintptr_t)n) & 3u) != 0u) {
    memmove(dst, src, (size_t)n);
    return;
  }
  for (; n > 0; n -= 4, dst += 4, src += 4) {
    uint32_t word;
    memcpy(&word, __builtin_assume_aligned(src, 4), sizeof word);
    memcpy(__builtin_assume_aligned(dst, 4), &word, sizeof word);
  }
}

/* Drops the columns left of `first`, and moves those that remain to the front. */
static void mcuc_tile_slide(const mcuc_step *step, const mcuc_memory *memory, mcuc_tile_part *part,
                            int32_t first)
{
  mcuc_view view = step->out;
  const int32_t rows = part->rows.end - part->rows.first;
  const int32_t kept = part->columns.end - first;
  int32_t y;
  view.y0 = 0;
  view.x0 = part->columns.first;
  for (y = 0; y < rows && kept > 0; ++y) {
    mcuc_move_down(mcuc_output_at(memory, &view, y, view.x0),
                   mcuc_output_at(memory, &view, y, first), kept * view.pixel_stride);
  }
  part->columns.first = first;
  part->columns.end = kept > 0 ? part->columns.end : first;
}

/* Copies columns of rows from line to tile, or back. */
static void mcuc_tile_copy(const mcuc_memory *memory, const mcuc_view *to, const mcuc_view *from,
                           mcuc_range rows, mcuc_range columns)
{
  const int32_t n = (columns.end - columns.first) * to->pixel_stride;
  int32_t y;
  for (y = rows.first; y < rows.end; ++y) {
    mcuc_move_down(mcuc_output_at(memory, to, y, columns.first),
                   mcuc_output_at(memory, from, y, columns.first), n);
  }
}

static int32_t mcuc_clamp(int32_t x, mcuc_range range)
{
  x = x > range.first ? x : range.first;
  return x < range.end ? x : range.end;
}

/* Runs one step of the chain on a block: the step as it stands in flash, with the block's place. */
static void mcuc_tile_run(const mcuc_step *chain, int32_t i, int32_t last,
                          const mcuc_tile_part *parts, mcuc_range columns,
                          const mcuc_memory *memory)
{
  mcuc_step step = chain[i];
  mcuc_operand in[MCUC_MAX_OPERANDS];
  mcuc_window window;
  int32_t k;

  for (k = 0; k < step.n_in; ++k) {
    in[k] = step.in[k];
    if (in[k].producer != MCUC_RESIDENT) {
      in[k].view.y0 = parts[i - 1].rows.first;
      in[k].view.x0 = parts[i - 1].columns.first;
    }
  }
  step.in = in;
  if (i != last) {
    step.out.y0 = parts[i].rows.first;
    step.out.x0 = parts[i].columns.first;
  }
  step.x0 = columns.first;
  step.x1 = columns.end;
  if (step.window != 0) {
    window = *step.window;
    window.inner_x0 = mcuc_clamp(window.inner_x0, columns);
    window.inner_x1 = mcuc_clamp(window.inner_x1, columns);
    step.window = &window;
  }
  step.form(&step, memory, parts[i].fresh, parts[i].rows.end - parts[i].fresh);
}

/* New columns of a step whose rows are kept. */
static void mcuc_tile_run_kept(const mcuc_tile *tile, int32_t i, const mcuc_tile_part *parts,
                               mcuc_range columns, const mcuc_memory *memory)
{
  const mcuc_view *line = &tile->lines[i];
  mcuc_view view = tile->steps[i].out;
  mcuc_range rows = parts[i].rows;

  view.y0 = rows.first;
  view.x0 = parts[i].columns.first;
  rows.end = parts[i].fresh;
  mcuc_tile_copy(memory, &view, line, rows, columns);
  mcuc_tile_run(tile->steps, i, tile->n_steps - 1, parts, columns, memory);
  rows.end = parts[i].rows.end;
  rows.first = rows.end - line->rows > parts[i].fresh ? rows.end - line->rows : parts[i].fresh;
  mcuc_tile_copy(memory, line, &view, rows, columns);
}

/* How many rows are made of what a step reads when `end` of its own are; below 0 before the first
 * one. */
static int32_t mcuc_rows_before(const mcuc_step *step, int32_t end)
{
  const mcuc_window *w = step->window;
  if (w != 0) {
    end = (end - 1) * w->stride_h - w->pad_top + (w->kernel_h - 1) * w->dilation_h + 1;
    end = end < w->in_h ? end : w->in_h;
  }
  return end;
}

static mcuc_range mcuc_from_zero(int32_t first, int32_t end)
{
  const mcuc_range range = {first > 0 ? first : 0, end > 0 ? end : 0};
  return range;
}

/* The rows of each step that a band needs, and the first of them that it computes. */
static void mcuc_tile_rows(const mcuc_tile *tile, int32_t unit, mcuc_tile_part *parts)
{
  const mcuc_step *chain = tile->steps;
  const int32_t last = tile->n_steps - 1;
  const int32_t height = chain[last].y1;
  int32_t before = (unit - tile->lead) * tile->rows; /* rows that earlier bands have made */
  int32_t end = before + tile->rows < height ? before + tile->rows : height;
  mcuc_range made = mcuc_from_zero(before, end);
  int32_t i;

  parts[last].rows = made;
  parts[last].fresh = made.first;
  for (i = last - 1; i >= 0; --i) {
    const int32_t read = made.end > made.first;
    made = mcuc_rows_read(&chain[i + 1], made);
    before = mcuc_rows_before(&chain[i + 1], before);
    end = mcuc_rows_before(&chain[i + 1], end);
    parts[i].rows = made;
    parts[i].fresh = made.first;
    if (tile->lines != 0 && tile->lines[i].rows > 0) {
      made = mcuc_from_zero(unit > 0 ? before : 0, end);
      parts[i].fresh = made.first;
      parts[i].rows.end = made.end;
      if (!read || made.first < parts[i].rows.first) {
        parts[i].rows.first = made.first;
      }
    }
  }
}

static void mcuc_tile_band(const mcuc_tile *tile, const mcuc_memory *memory, int32_t unit)
{
  const mcuc_step *chain = tile->steps;
  const int32_t last = tile->n_steps - 1;
  mcuc_tile_part parts[MCUC_MAX_TILE_STEPS];
  mcuc_range reads[MCUC_MAX_TILE_STEPS];
  int32_t x;
  int32_t i;

  mcuc_tile_rows(tile, unit, parts);
  for (i = 0; i <= last; ++i) {
    parts[i].columns.first = parts[i].columns.end = 0;
  }
  for (x = 0; x < chain[last].x1; x += tile->columns) {
    reads[last].first = x;
    reads[last].end = x + tile->columns < chain[last].x1 ? x + tile->columns : chain[last].x1;
    for (i = last; i > 0; --i) {
      reads[i - 1] = mcuc_columns_read(&chain[i], reads[i]);
    }
    for (i = 0; i <= last; ++i) {
      mcuc_range fresh = reads[i];
      if (i < last && reads[i].first > parts[i].columns.first) {
        mcuc_tile_slide(&chain[i], memory, &parts[i], reads[i].first);
      }
      fresh.first = fresh.first > parts[i].columns.end ? fresh.first : parts[i].columns.end;
      if (fresh.end > fresh.first) {
        if (tile->lines != 0 && tile->lines[i].rows > 0) {
          mcuc_tile_run_kept(tile, i, parts, fresh, memory);
        } else {
          mcuc_tile_run(chain, i, last, parts, fresh, memory);
        }
        parts[i].columns.end = fresh.end;
      }
    }
  }
}

/* Here y and n count bands. */
MCUC_FN void mcuc_form_tile(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
  for (; n > 0; --n, ++y) {
    mcuc_tile_band(step->tile, memory, y);
  }
}
