/* The test program: runs requests on compiled models and records everything that can be seen.
 *
 * Request file (little endian, uint32 unless said otherwise):
 *   "MCRQ", number of requests, then per request:
 *   model, flags (bit 0 trace, bit 1 dump RAM), poison byte, runs per vector, number of vectors,
 *   then the vectors: the bytes of all inputs, back to back.
 * Response file:
 *   "MCRS", number of requests, guard bytes, then per request, vector and run one record:
 *   "RECD", return code, flags (bit 0 counter valid, bit 1 stack known), counter units (low, high),
 *   stack bytes,
 *   number of regions (bit 16: and a state), two verdicts (before, behind) of each and of the
 * stack, number of outputs, each its size and bytes, number of trace entries, five words each,
 *   number of dumped regions, each its size and bytes; at the end of the file "MEND".
 */
#include "harness.h"
#include "port.h"
#include "stream.h"

#include <string.h>

enum { FLAG_TRACE = 1, FLAG_DUMP = 2, COUNTER_VALID = 1, STACK_KNOWN = 2 };

#define MAGIC_REQUEST 0x5152434Du  /* "MCRQ" */
#define MAGIC_RESPONSE 0x5352434Du /* "MCRS" */
#define MAGIC_RECORD 0x44434552u   /* "RECD" */
#define MAGIC_END 0x444E454Du      /* "MEND" */

typedef struct request {
  uint32_t model, flags, poison, runs, vectors;
} request;

typedef struct session {
  mcuc_stream stream;
  int (*volatile run)(const mcuc_memory *memory); /* volatile: no compiler specialises the call */
  uint64_t overhead;                              /* counter units of an empty measurement */
  uintptr_t stack; /* stack pointer at the measured call, 0 = unknown */
  uint32_t stack_used;
  uint32_t ticks, wraps;
} session;

static _Noreturn void refuse(const char *why)
{
  mcuc_port_print("mcuc-bad-request ");
  mcuc_port_print(why);
  mcuc_port_print("\n");
  mcuc_port_exit(MCUC_EXIT_BAD_REQUEST);
}

static int idle(const mcuc_memory *memory)
{
  (void)memory;
  return 0;
}

/* Never inlined: the empty call and the model are measured by the very same instructions. */
__attribute__((noinline)) static int measure(session *s, const mcuc_memory *memory)
{
  uint32_t start;
  int code;
  s->stack = mcuc_port_stack_pointer();
  mcuc_port_stack_paint();
  mcuc_port_counter_start();
  start = mcuc_port_counter_ticks();
  code = s->run(memory);
  s->ticks = mcuc_port_counter_ticks() - start;
  s->stack_used = s->stack ? mcuc_port_stack_used(s->stack) : 0u;
  s->wraps = mcuc_port_counter_wraps(s->ticks);
  return code;
}

static uint64_t units_of(const session *s)
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

static void set_guards(const mcuc_test_model *model)
{
  uint32_t i;
  for (i = 0; i < model->n_regions; ++i) {
    mcuc_guard_set(&mcuc_test_rams[i], model->region_bytes[i]);
  }
  if (model->state_bytes > 0) {
    mcuc_guard_set(&mcuc_test_rams[MCUC_MAX_REGIONS], model->state_bytes);
  }
}

static void put_guards(mcuc_stream *stream, const mcuc_test_model *model)
{
  uint32_t verdict[2];
  uint32_t i;
  mcuc_stream_put(stream, model->n_regions | (model->state_bytes > 0 ? 1u << 16 : 0u));
  for (i = 0; i < model->n_regions; ++i) {
    mcuc_guard_check(&mcuc_test_rams[i], model->region_bytes[i], verdict);
    mcuc_stream_put(stream, verdict[0]);
    mcuc_stream_put(stream, verdict[1]);
  }
  if (model->state_bytes > 0) {
    mcuc_guard_check(&mcuc_test_rams[MCUC_MAX_REGIONS], model->state_bytes, verdict);
    mcuc_stream_put(stream, verdict[0]);
    mcuc_stream_put(stream, verdict[1]);
  }
  mcuc_stream_put(stream, mcuc_port_stack_intact() ? 0u : 1u);
  mcuc_stream_put(stream, 0u);
}

static void put_record(session *s, const mcuc_test_model *model, const mcuc_memory *memory,
                       int code, uint32_t flags)
{
  mcuc_stream *stream = &s->stream;
  const int counted = mcuc_port_counter_present() && s->wraps != MCUC_WRAPS_UNKNOWN;
  const uint64_t all = units_of(s);
  const uint64_t units = all > s->overhead ? all - s->overhead : 0u;
  uint32_t i;
  mcuc_stream_put(stream, MAGIC_RECORD);
  mcuc_stream_put(stream, (uint32_t)code);
  mcuc_stream_put(
      stream, (counted ? (uint32_t)COUNTER_VALID : 0u) | (s->stack ? (uint32_t)STACK_KNOWN : 0u));
  mcuc_stream_put(stream, (uint32_t)units);
  mcuc_stream_put(stream, (uint32_t)(units >> 32));
  mcuc_stream_put(stream, s->stack_used);
  put_guards(stream, model);
  mcuc_stream_put(stream, model->n_outputs);
  for (i = 0; i < model->n_outputs; ++i) {
    mcuc_stream_put_bytes(stream, model->output(memory, i), model->output_bytes[i]);
  }
  mcuc_stream_put(stream, mcuc_trace_count());
  for (i = 0; i < mcuc_trace_count(); ++i) {
    const mcuc_trace_entry entry = mcuc_trace_get(i);
    mcuc_stream_put(stream, entry.id);
    mcuc_stream_put(stream, entry.calls);
    mcuc_stream_put(stream, entry.units_low);
    mcuc_stream_put(stream, entry.units_high);
    mcuc_stream_put(stream, entry.crc);
  }
  mcuc_stream_put(stream, (flags & FLAG_DUMP) ? model->n_regions : 0u);
  for (i = 0; (flags & FLAG_DUMP) && i < model->n_regions; ++i) {
    mcuc_stream_put_bytes(stream, memory->ram[i], model->region_bytes[i]);
  }
}

/* One vector: poison once, then run as often as asked with the same inputs in used memory. */
static void run_vector(session *s, const mcuc_test_model *model, const mcuc_memory *memory,
                       const request *r)
{
  mcuc_stream *stream = &s->stream;
  const uint32_t position = stream->read_position;
  uint32_t run;
  uint32_t i;
  for (i = 0; i < model->n_regions; ++i) {
    memset(memory->ram[i], (int)r->poison, model->region_bytes[i]);
  }
  for (run = 0; run < r->runs; ++run) {
    int code;
    set_guards(model);
    if (run > 0) {
      mcuc_stream_rewind(stream, position);
    }
    for (i = 0; i < model->n_inputs; ++i) {
      mcuc_stream_get(stream, model->input(memory, i), model->input_bytes[i]);
    }
    mcuc_trace_reset((r->flags & FLAG_TRACE) != 0, (uint32_t)s->overhead);
    s->run = model->run;
    code = measure(s, memory);
    if (mcuc_trace_overflow()) {
      refuse("the trace table is too small (MCUC_TEST_MAX_STEPS)");
    }
    put_record(s, model, memory, code, r->flags);
  }
}

static void run_request(session *s, const request *r)
{
  const mcuc_test_model *model;
  mcuc_memory memory;
  uint32_t i;
  if (r->model >= mcuc_test_model_count || r->poison > 255u || r->runs == 0) {
    refuse("model, poison or runs out of range");
  }
  model = &mcuc_test_models[r->model];
  if (model->n_regions > MCUC_MAX_REGIONS) {
    refuse("too many regions");
  }
  for (i = 0; i < model->n_regions; ++i) {
    if (mcuc_test_rams[i].base == 0 || model->region_bytes[i] > mcuc_test_rams[i].bytes) {
      refuse("a region is larger than the build gives it");
    }
  }
  if (model->state_bytes > mcuc_test_rams[MCUC_MAX_REGIONS].bytes) {
    refuse("the state is larger than the build gives it");
  }
  memory = memory_of(model);
  if (model->state_bytes > 0) {
    memset(memory.state, model->reset ? (int)r->poison : 0, model->state_bytes);
  }
  if (model->reset) {
    model->reset(&memory);
  }
  for (i = 0; i < r->vectors; ++i) {
    run_vector(s, model, &memory, r);
  }
}

_Noreturn void mcuc_harness(const char *request_file, const char *response_file)
{
  static session s;
  static const mcuc_memory nothing;
  uint32_t head[2];
  uint32_t i;

  mcuc_stream_open(&s.stream, request_file, response_file);
  mcuc_stream_get(&s.stream, head, sizeof head);
  if (head[0] != MAGIC_REQUEST) {
    refuse("this is no request file");
  }
  s.run = idle;
  (void)measure(&s, &nothing);
  s.overhead = units_of(&s);
  mcuc_stream_put(&s.stream, MAGIC_RESPONSE);
  mcuc_stream_put(&s.stream, head[1]);
  mcuc_stream_put(&s.stream, MCUC_TEST_GUARD_BYTES);
  for (i = 0; i < head[1]; ++i) {
    uint32_t words[5];
    request r;
    mcuc_stream_get(&s.stream, words, sizeof words);
    r.model = words[0];
    r.flags = words[1];
    r.poison = words[2];
    r.runs = words[3];
    r.vectors = words[4];
    run_request(&s, &r);
  }
  mcuc_stream_put(&s.stream, MAGIC_END);
  mcuc_stream_close(&s.stream);
  mcuc_port_exit(MCUC_EXIT_OK);
}
