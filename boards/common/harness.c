/* The test program: runs requests on compiled models and records everything that can be seen.
 *
 * Request file (little endian, uint32 unless said otherwise):
 *   "MCRQ", number of requests, then per request:
 *   model, flags (bit 0 trace, bit 1 dump RAM), poison byte, runs per vector, watched step and
 *   offset, number of vectors, then the vectors: the bytes of all inputs, back to back.
 * Response file:
 *   "MCRS", number of requests, guard bytes, then per request, vector and run one record:
 *   "RECD", the words of mcuc_session_record, number of outputs, each its size and bytes, number of
 *   trace entries, five words each, the watched step's CRC-32, number of its bytes, the bytes,
 *   number of dumped regions, each its size and bytes; at the end of the file "MEND".
 */
#include "harness.h"
#include "port.h"
#include "stream.h"

enum { FLAG_TRACE = 1, FLAG_DUMP = 2 };

#define MAGIC_REQUEST 0x5152434Du  /* "MCRQ" */
#define MAGIC_RESPONSE 0x5352434Du /* "MCRS" */
#define MAGIC_RECORD 0x44434552u   /* "RECD" */
#define MAGIC_END 0x444E454Du      /* "MEND" */

typedef struct request {
  uint32_t model, flags, poison, runs;
  int32_t watch_step;
  uint32_t watch_offset;
  uint32_t vectors;
} request;

static _Noreturn void refuse(const char *why)
{
  mcuc_port_print("mcuc-bad-request ");
  mcuc_port_print(why);
  mcuc_port_print("\n");
  mcuc_port_exit(MCUC_EXIT_BAD_REQUEST);
}

static void put_record(mcuc_stream *stream, const mcuc_session *s, uint32_t flags)
{
  const mcuc_test_model *model = s->model;
  const mcuc_watch *watch = mcuc_trace_watched();
  uint32_t words[MCUC_RECORD_WORDS];
  const uint32_t n_words = mcuc_session_record(s, words);
  uint32_t i;
  mcuc_stream_put(stream, MAGIC_RECORD);
  for (i = 0; i < n_words; ++i) {
    mcuc_stream_put(stream, words[i]);
  }
  mcuc_stream_put(stream, model->n_outputs);
  for (i = 0; i < model->n_outputs; ++i) {
    mcuc_stream_put_bytes(stream, model->output(&s->memory, i), model->output_bytes[i]);
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
  mcuc_stream_put(stream, watch->crc);
  mcuc_stream_put_bytes(stream, watch->bytes, watch->count);
  mcuc_stream_put(stream, (flags & FLAG_DUMP) ? model->n_regions : 0u);
  for (i = 0; (flags & FLAG_DUMP) && i < model->n_regions; ++i) {
    mcuc_stream_put_bytes(stream, s->memory.ram[i], model->region_bytes[i]);
  }
}

/* One vector: poison once, then run as often as asked with the same inputs in used memory. */
static void run_vector(mcuc_stream *stream, mcuc_session *s, const request *r)
{
  const uint32_t position = stream->read_position;
  uint32_t run;
  uint32_t i;
  mcuc_session_fill(s, r->poison);
  for (run = 0; run < r->runs; ++run) {
    mcuc_session_guard(s);
    if (run > 0) {
      mcuc_stream_rewind(stream, position);
    }
    for (i = 0; i < s->model->n_inputs; ++i) {
      mcuc_stream_get(stream, s->model->input(&s->memory, i), s->model->input_bytes[i]);
    }
    mcuc_trace_watch(r->watch_step, r->watch_offset);
    mcuc_session_run(s, (r->flags & FLAG_TRACE) != 0);
    if (mcuc_trace_overflow()) {
      refuse("the trace table is too small (MCUC_TEST_MAX_STEPS)");
    }
    put_record(stream, s, r->flags);
  }
}

_Noreturn void mcuc_harness(const char *request_file, const char *response_file)
{
  static mcuc_session s;
  static mcuc_stream stream;
  uint32_t head[2];
  uint32_t i;
  uint32_t vector;

  mcuc_stream_open(&stream, request_file, response_file);
  mcuc_stream_get(&stream, head, sizeof head);
  if (head[0] != MAGIC_REQUEST) {
    refuse("this is no request file");
  }
  mcuc_stream_put(&stream, MAGIC_RESPONSE);
  mcuc_stream_put(&stream, head[1]);
  mcuc_stream_put(&stream, MCUC_TEST_GUARD_BYTES);
  for (i = 0; i < head[1]; ++i) {
    request r;
    const char *why;
    mcuc_stream_get(&stream, &r, sizeof r);
    why = r.runs == 0 ? "no runs" : mcuc_session_open(&s, r.model, r.poison);
    if (why != 0) {
      refuse(why);
    }
    for (vector = 0; vector < r.vectors; ++vector) {
      run_vector(&stream, &s, &r);
    }
  }
  mcuc_stream_put(&stream, MAGIC_END);
  mcuc_stream_close(&stream);
  mcuc_port_exit(MCUC_EXIT_OK);
}
