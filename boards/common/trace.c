/* Profile and output hash of every step; linked when the driver is compiled with MCUC_TRACE. */
#include "harness.h"
#include "crc32.h"
#include "port.h"

#ifndef MCUC_TEST_MAX_STEPS
#define MCUC_TEST_MAX_STEPS 1
#endif

typedef struct trace_state {
  int enabled;
  int overflow; /* a step's id is beyond the table */
  uint32_t overhead;
  uint32_t started;
  uint32_t count;
  mcuc_trace_entry entries[MCUC_TEST_MAX_STEPS];
} trace_state;

static MCUC_OUTSIDE trace_state trace;
static MCUC_OUTSIDE mcuc_watch watch;

void mcuc_trace_begin(const mcuc_step *step);
void mcuc_trace_end(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n);

void mcuc_trace_reset(int enabled, uint32_t overhead_units)
{
  uint32_t i;
  watch.seen = 0;
  watch.crc = 0;
  watch.count = 0;
  trace.enabled = enabled;
  trace.overflow = 0;
  trace.overhead = overhead_units;
  trace.count = 0;
  for (i = 0; i < MCUC_TEST_MAX_STEPS; ++i) {
    mcuc_trace_entry *entry = &trace.entries[i];
    entry->id = i;
    entry->calls = 0;
    entry->units_low = 0;
    entry->units_high = 0;
    entry->crc = 0;
  }
}

void mcuc_trace_watch(int32_t step, uint32_t offset)
{
  watch.step = step;
  watch.offset = offset;
}

const mcuc_watch *mcuc_trace_watched(void)
{
  return &watch;
}

uint32_t mcuc_trace_count(void)
{
  return trace.count;
}

mcuc_trace_entry mcuc_trace_get(uint32_t i)
{
  return trace.entries[i];
}

int mcuc_trace_overflow(void)
{
  return trace.overflow;
}

static void look(const uint8_t *data, uint32_t bytes)
{
  uint32_t before = watch.offset > watch.seen ? watch.offset - watch.seen : 0u;
  before = before < bytes ? before : bytes;
  watch.crc = mcuc_crc32(watch.crc, data, before);
  watch.seen += bytes;
  while (before < bytes && watch.count < MCUC_WATCH_BYTES) {
    watch.bytes[watch.count++] = data[before++];
  }
}

static uint32_t crc_row(uint32_t crc, const mcuc_step *step, const mcuc_memory *memory, int32_t y)
{
  const uint32_t bytes = (uint32_t)step->out_pixel_bytes;
  int32_t x;
  for (x = step->x0; x < step->x1; ++x) {
    const uint8_t *const pixel = (const uint8_t *)mcuc_output_at(memory, &step->out, y, x);
    crc = mcuc_crc32(crc, pixel, bytes);
    if (step->id == watch.step) {
      look(pixel, bytes);
    }
  }
  return crc;
}

void mcuc_trace_begin(const mcuc_step *step)
{
  (void)step;
  if (trace.enabled) {
    trace.started = mcuc_port_counter_ticks();
  }
}

void mcuc_trace_end(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
  mcuc_trace_entry *entry;
  uint64_t units;
  uint64_t sum;
  int32_t row = y;
  int32_t end = y + n;

  if (!trace.enabled) {
    return;
  }
  /* Of one call: far below 2^32 ticks, so that a wrap in between does no harm. */
  units = mcuc_port_units(mcuc_port_counter_ticks() - trace.started);
  if (step->id < 0 || step->id >= MCUC_TEST_MAX_STEPS) {
    trace.overflow = 1;
    return;
  }
  entry = &trace.entries[step->id];
  if ((uint32_t)step->id >= trace.count) {
    trace.count = (uint32_t)step->id + 1u;
  }
  units = units > trace.overhead ? units - trace.overhead : 0u;
  sum = (((uint64_t)entry->units_high << 32) | entry->units_low) + units;
  entry->units_low = (uint32_t)sum;
  entry->units_high = (uint32_t)(sum >> 32);
  entry->calls += 1u;
  if (step->fold) {
    if (y + n == step->y1) {
      entry->crc = crc_row(entry->crc, step, memory, step->out.y0);
    }
    return;
  }
  if (step->tile != 0) {
    const int32_t height = step->tile->steps[step->tile->n_steps - 1].y1;
    row = (row - step->tile->lead) * step->tile->rows;
    end = (end - step->tile->lead) * step->tile->rows;
    row = row > 0 ? row : 0;
    end = end < height ? end : height;
  }
  for (; row < end; ++row) {
    entry->crc = crc_row(entry->crc, step, memory, row);
  }
}
