/* The one loop that runs every segment: layer by layer, streamed and patched alike.
 *
 * A segment is driven by what its last step needs: a step whose operand rows are not there yet
 * lets the operand's producer advance first. The compiler simulates the same loop to size the row
 * rings (mcuc/schedule/simulate.py is the twin of this file).
 */
#include "mcuc/program.h"

#ifdef MCUC_TRACE
/* Supplied by the test harness: profile and hash every step. */
extern void mcuc_trace_begin(const mcuc_step *step);
extern void mcuc_trace_end(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n);
#endif

/* Bound of the producer's rows that row y of a step waits for. */
static int32_t mcuc_rows_needed(const mcuc_step *step, const mcuc_operand *operand, int32_t y)
{
  int32_t need;
  if (operand->need != 0) {
    return operand->need[y - step->y0];
  }
  need = y * operand->need_mul + operand->need_add;
  return need < operand->need_max ? need : operand->need_max;
}

/* The producer that must advance before step `i` can make its next row, or -1. */
static int32_t mcuc_blocked_by(const mcuc_segment *segment, const int32_t *next, int32_t i)
{
  const mcuc_step *step = &segment->steps[i];
  int32_t k;
  for (k = 0; k < step->n_in; ++k) {
    const mcuc_operand *operand = &step->in[k];
    if (operand->producer >= 0 &&
        next[operand->producer] < mcuc_rows_needed(step, operand, next[i])) {
      return operand->producer;
    }
  }
  return -1;
}

static void mcuc_advance(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
#ifdef MCUC_TRACE
  mcuc_trace_begin(step);
#endif
  step->form(step, memory, y, n);
#ifdef MCUC_TRACE
  mcuc_trace_end(step, memory, y, n);
#endif
}

MCUC_FN void mcuc_run_segment(const mcuc_segment *segment, const mcuc_memory *memory)
{
  int32_t *next;
  int32_t i;
  int32_t goal;

  if (segment->n_steps == 1) {
    const mcuc_step *step = segment->steps;
    mcuc_advance(step, memory, step->y0, step->y1 - step->y0);
    return;
  }
  next = (int32_t *)mcuc_address(memory, &segment->progress);
  for (i = 0; i < segment->n_steps; ++i) {
    next[i] = segment->steps[i].y0;
  }
  for (goal = segment->n_steps - 1; goal >= 0; --goal) {
    if (!segment->steps[goal].keep) {
      continue;
    }
    i = goal;
    while (next[goal] < segment->steps[goal].y1) {
      int32_t blocker = mcuc_blocked_by(segment, next, i);
      if (blocker >= 0) {
        i = blocker;
      } else {
        mcuc_advance(&segment->steps[i], memory, next[i], 1);
        next[i] += 1;
        i = goal;
      }
    }
  }
}
