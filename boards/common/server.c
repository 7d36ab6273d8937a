/* The device's side of the protocol: answers one request after the other. */
#include "server.h"
#include "answer.h"
#include "harness.h"
#include "uart.h"

#include <string.h>

static struct {
  mcuc_session session;
  mcuc_verdict verdict;
  uint32_t stack_most;
  int open;
  int answered;          /* mcuc_reply is to the request with this sequence number and CRC-32: */
  uint8_t last_sequence; /* the host asks again when an answer did not arrive, and nothing is */
  uint32_t last_crc;     /* done twice */
} server;

static uint16_t open_model(void)
{
  const char *why;
  server.open = 0;
  if (server.verdict.status != MCUC_CONSTANTS_GOOD &&
      server.verdict.status != MCUC_CONSTANTS_UNKNOWN) {
    return MCUC_BAD_CONSTANTS;
  }
  why = mcuc_session_open(&server.session, mcuc_request_word(0), mcuc_request_word(1));
  if (why != 0) {
    mcuc_put_text(why);
    return MCUC_BAD_ARGUMENT;
  }
  server.open = 1;
  return MCUC_OK;
}

static uint16_t write_input(void)
{
  const mcuc_session *s = &server.session;
  const uint32_t i = mcuc_request_word(0);
  const uint32_t offset = mcuc_request_word(1);
  const uint32_t bytes = mcuc_request.bytes - 8u;
  if (mcuc_request.bytes < 8u || i >= s->model->n_inputs || offset > s->model->input_bytes[i] ||
      bytes > s->model->input_bytes[i] - offset) {
    return MCUC_BAD_ARGUMENT;
  }
  memcpy((uint8_t *)s->model->input(&s->memory, i) + offset, mcuc_request.raw.payload + 8, bytes);
  return MCUC_OK;
}

static uint16_t run(void)
{
  mcuc_session *s = &server.session;
  uint32_t words[MCUC_RECORD_WORDS];
  uint32_t n;
  if (mcuc_request.bytes != 12u) {
    return MCUC_BAD_ARGUMENT;
  }
  mcuc_reply.raw.status = MCUC_STARTED;
  mcuc_frame_send(&mcuc_reply); /* twice: while it runs, nobody can ask again */
  mcuc_frame_send(&mcuc_reply);
  mcuc_session_guard(s);
  mcuc_trace_watch((int32_t)mcuc_request_word(1), mcuc_request_word(2));
  mcuc_phase(MCUC_PHASE_RUN);
  mcuc_session_run(s, mcuc_request_word(0) != 0);
  mcuc_phase(MCUC_PHASE_SERVE);
  if (mcuc_trace_overflow()) {
    return MCUC_TRACE_FULL;
  }
  server.stack_most = s->stack_used > server.stack_most ? s->stack_used : server.stack_most;
  n = mcuc_session_record(s, words);
  mcuc_put_word(n);
  mcuc_put(words, 4u * n);
  mcuc_put_word(mcuc_trace_count());
  mcuc_put_word(mcuc_trace_watched()->crc);
  mcuc_put_word(mcuc_trace_watched()->count);
  return MCUC_OK;
}

static uint16_t read_part(const void *from, uint32_t have)
{
  const uint32_t offset = mcuc_request_word(2);
  const uint32_t bytes = mcuc_request_word(3);
  if (offset > have || bytes > have - offset || bytes > MCUC_FRAME_PAYLOAD) {
    return MCUC_BAD_ARGUMENT;
  }
  mcuc_put((const uint8_t *)from + offset, bytes);
  return MCUC_OK;
}

static uint16_t read_trace(void)
{
  uint32_t i = mcuc_request_word(2);
  const uint32_t end = i + mcuc_request_word(3);
  if (end < i || end > mcuc_trace_count() ||
      (end - i) * sizeof(mcuc_trace_entry) > MCUC_FRAME_PAYLOAD) {
    return MCUC_BAD_ARGUMENT;
  }
  for (; i < end; ++i) {
    const mcuc_trace_entry entry = mcuc_trace_get(i);
    mcuc_put(&entry, sizeof entry);
  }
  return MCUC_OK;
}

static uint16_t read_back(void)
{
  const mcuc_session *s = &server.session;
  const uint32_t i = mcuc_request_word(1);
  switch (mcuc_request_word(0)) {
    case MCUC_READ_OUTPUT:
      return i < s->model->n_outputs
                 ? read_part(s->model->output(&s->memory, i), s->model->output_bytes[i])
                 : (uint16_t)MCUC_BAD_ARGUMENT;
    case MCUC_READ_TRACE:
      return read_trace();
    case MCUC_READ_WATCH:
      return read_part(mcuc_trace_watched()->bytes, mcuc_trace_watched()->count);
    case MCUC_READ_REGION:
      return i < s->model->n_regions ? read_part(s->memory.ram[i], s->model->region_bytes[i])
                                     : (uint16_t)MCUC_BAD_ARGUMENT;
    default:
      return MCUC_BAD_ARGUMENT;
  }
}

static uint16_t answer(uint8_t command)
{
  switch (command) {
    case MCUC_IDENTIFY:
      return mcuc_tell_identity(&server.verdict);
    case MCUC_MODEL:
      return mcuc_tell_model();
    case MCUC_OPEN:
      return open_model();
    case MCUC_FAULT:
      return mcuc_tell_fault();
    case MCUC_CHECK:
      mcuc_put(&server.verdict, sizeof server.verdict);
      return MCUC_OK;
    case MCUC_MEMORY:
      return mcuc_tell_memory(server.stack_most);
    case MCUC_RESTART:
      return MCUC_OK;
    default:
      break;
  }
  if (command > MCUC_RESTART) {
    return MCUC_UNKNOWN;
  }
  if (!server.open) {
    return MCUC_NOT_OPEN;
  }
  switch (command) {
    case MCUC_FILL:
      mcuc_session_fill(&server.session, mcuc_request_word(0) & 255u);
      return MCUC_OK;
    case MCUC_WRITE:
      return write_input();
    case MCUC_RUN:
      return run();
    case MCUC_READ:
      return read_back();
    default:
      return MCUC_UNKNOWN;
  }
}

static void check(void)
{
  mcuc_crash crash;
  if (mcuc_crash_get(&crash) && crash.phase == MCUC_PHASE_CHECK) {
    server.verdict.status = MCUC_CONSTANTS_UNREADABLE; /* reading them faulted */
    server.verdict.address = crash.fault.bfar;
    return;
  }
  mcuc_phase(MCUC_PHASE_CHECK);
  mcuc_check_constants(&server.verdict);
}

_Noreturn void mcuc_serve(void)
{
  check();
  mcuc_phase(MCUC_PHASE_SERVE);
  mcuc_tell_boot(&server.verdict);
  for (;;) {
    mcuc_frame_receive(&mcuc_request);
    if (!server.answered || mcuc_request.raw.sequence != server.last_sequence ||
        mcuc_request.crc != server.last_crc) {
      server.last_sequence = mcuc_request.raw.sequence;
      server.last_crc = mcuc_request.crc;
      mcuc_reply.bytes = 0;
      mcuc_reply.raw.command = mcuc_request.raw.command;
      mcuc_reply.raw.sequence = mcuc_request.raw.sequence;
      mcuc_reply.raw.status = answer(mcuc_request.raw.command);
      server.answered = 1;
    }
    mcuc_frame_send(&mcuc_reply);
    if (mcuc_request.raw.command == MCUC_RESTART) {
      mcuc_uart_flush();
      mcuc_restart();
    }
  }
}
