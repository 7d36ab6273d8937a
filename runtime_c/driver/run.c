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

/* What step `i` waits for before it can make its next row: a step of the segment, MCUC_PUSHED for
 * rows of the input, or MCUC_RESIDENT for nothing. */
static int32_t mcuc_blocked_by(const mcuc_segment *segment, const mcuc_memory *memory,
                               const int32_t *next, int32_t i)
{
  const mcuc_step *step = &segment->steps[i];
  int32_t k;
  for (k = 0; k < step->n_in; ++k) {
    const mcuc_operand *operand = &step->in[k];
    if (operand->producer != MCUC_RESIDENT) {
      const int32_t made = operand->producer < 0 ? memory->pushed : next[operand->producer];
      if (made < mcuc_rows_needed(step, operand, next[i])) {
        return operand->producer;
      }
    }
  }
  return MCUC_RESIDENT;
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

/* Before the first call of mcuc_run_segment. */
MCUC_FN void mcuc_start_segment(const mcuc_segment *segment, const mcuc_memory *memory)
{
  if (segment->n_steps > 1) {
    int32_t *next = (int32_t *)mcuc_address(memory, &segment->progress);
    int32_t i;
    for (i = 0; i < segment->n_steps; ++i) {
      next[i] = segment->steps[i].y0;
    }
  }
}

/* Runs a segment to its end, or until rows of the input are missing; returns whether it ended. */
MCUC_FN int mcuc_run_segment(const mcuc_segment *segment, const mcuc_memory *memory)
{
  int32_t *next;
  int32_t goal;

  if (segment->n_steps == 1) {
    const mcuc_step *step = segment->steps;
    mcuc_advance(step, memory, step->y0, step->y1 - step->y0);
    return 1;
  }
  next = (int32_t *)mcuc_address(memory, &segment->progress);
  for (goal = segment->n_steps - 1; goal >= 0; --goal) {
    int32_t i = goal;
    if (!segment->steps[goal].keep) {
      continue;
    }
    while (next[goal] < segment->steps[goal].y1) {
      const int32_t blocker = mcuc_blocked_by(segment, memory, next, i);
      if (blocker >= 0) {
        i = blocker;
      } else if (blocker == MCUC_PUSHED) {
        return 0;
      } else {
        mcuc_advance(&segment->steps[i], memory, next[i], 1);
        next[i] += 1;
        i = goal;
      }
    }
  }
  return 1;
}
