/* One model of the test program: its memory, and a run that is measured and guarded. */
#include "harness.h"
#include "port.h"

#include <string.h>

enum { COUNTER_VALID = 1, STACK_KNOWN = 2 };

static int idle(const mcuc_memory *memory)
{
  (void)memory;
  return 0;
}

/* Never inlined: the empty call and the model are measured by the very same instructions. */
__attribute__((noinline)) static int measure(mcuc_session *s)
{
  uint32_t start;
  int code;
  s->stack = mcuc_port_stack_pointer();
  mcuc_port_stack_paint();
  mcuc_port_counter_start();
  start = mcuc_port_counter_ticks();
  code = s->run(&s->memory);
  s->ticks = mcuc_port_counter_ticks() - start;
  s->stack_used = s->stack ? mcuc_port_stack_used(s->stack) : 0u;
  s->wraps = mcuc_port_counter_wraps(s->ticks);
  return code;
}

static uint64_t units_of(const mcuc_session *s)
{
  return mcuc_port_units(((uint64_t)s->wraps << 32) | s->ticks);
}

static mcuc_memory memory_of(const mcuc_test_model *model)
{
  mcuc_memory memory;
  uint32_t i;
  memset(&memory, 0, sizeof memory);
  for (i = 0; i < model->n_regions; ++i) {
    memory.ram[i] = mcuc_test_rams[i].base + MCUC_TEST_GUARD_BYTES;
  }
  if (model->state_bytes > 0) {
    memory.state = mcuc_test_rams[MCUC_MAX_REGIONS].base + MCUC_TEST_GUARD_BYTES;
  }
  return memory;
}

static const char *problem(const mcuc_test_model *model)
{
  uint32_t i;
  if (model->n_regions > MCUC_MAX_REGIONS) {
    return "too many regions";
  }
  for (i = 0; i < model->n_regions; ++i) {
    if (mcuc_test_rams[i].base == 0 || model->region_bytes[i] > mcuc_test_rams[i].bytes) {
      return "a region is larger than the build gives it";
    }
  }
  if (model->state_bytes > mcuc_test_rams[MCUC_MAX_REGIONS].bytes) {
    return "the state is larger than the build gives it";
  }
  return 0;
}

const char *mcuc_session_open(mcuc_session *s, uint32_t model, uint32_t poison)
{
  const char *why;
  if (model >= mcuc_test_model_count || poison > 255u) {
    return "model or poison out of range";
  }
  why = problem(&mcuc_test_models[model]);
  if (why != 0) {
    return why;
  }
  s->model = &mcuc_test_models[model];
  s->memory = memory_of(s->model);
  if (s->model->state_bytes > 0) {
    memset(s->memory.state, s->model->reset ? (int)poison : 0, s->model->state_bytes);
  }
  if (s->model->reset) {
    s->model->reset(&s->memory);
  }
  s->run = idle;
  s->counter = mcuc_port_counter_present();
  (void)measure(s);
  s->overhead = units_of(s);
  return 0;
}

void mcuc_session_fill(const mcuc_session *s, uint32_t poison)
{
  uint32_t i;
  for (i = 0; i < s->model->n_regions; ++i) {
    memset(s->memory.ram[i], (int)poison, s->model->region_bytes[i]);
  }
}

void mcuc_session_guard(const mcuc_session *s)
{
  uint32_t i;
  for (i = 0; i < s->model->n_regions; ++i) {
    mcuc_guard_set(&mcuc_test_rams[i], s->model->region_bytes[i]);
  }
  if (s->model->state_bytes > 0) {
    mcuc_guard_set(&mcuc_test_rams[MCUC_MAX_REGIONS], s->model->state_bytes);
  }
}

void mcuc_session_run(mcuc_session *s, int trace)
{
  mcuc_trace_reset(trace, (uint32_t)s->overhead);
  s->run = s->model->run;
  s->code = measure(s);
}

uint32_t mcuc_session_record(const mcuc_session *s, uint32_t words[MCUC_RECORD_WORDS])
{
  const mcuc_test_model *model = s->model;
  const int counted = s->counter && s->wraps != MCUC_WRAPS_UNKNOWN;
  const uint64_t all = units_of(s);
  const uint64_t units = all > s->overhead ? all - s->overhead : 0u;
  const uint32_t state = model->state_bytes > 0 ? 1u : 0u;
  uint32_t n = 0;
  uint32_t i;
  words[n++] = (uint32_t)s->code;
  words[n++] = (counted ? (uint32_t)COUNTER_VALID : 0u) | (s->stack ? (uint32_t)STACK_KNOWN : 0u);
  words[n++] = (uint32_t)units;
  words[n++] = (uint32_t)(units >> 32);
  words[n++] = s->stack_used;
  words[n++] = model->n_regions | state << 16;
  for (i = 0; i < model->n_regions; ++i, n += 2u) {
    mcuc_guard_check(&mcuc_test_rams[i], model->region_bytes[i], &words[n]);
  }
  if (state != 0) {
    mcuc_guard_check(&mcuc_test_rams[MCUC_MAX_REGIONS], model->state_bytes, &words[n]);
    n += 2u;
  }
  words[n++] = mcuc_port_stack_intact() ? 0u : 1u;
  words[n++] = 0u;
  return n;
}
