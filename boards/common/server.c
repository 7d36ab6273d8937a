/* The device's side of the protocol: answers one request after the other. */
#include "server.h"
#include "frame.h"
#include "harness.h"
#include "mcuc_board.h"
#include "uart.h"

#include <string.h>

#ifndef MCUC_BOARD_CLOCK_HZ
#define MCUC_BOARD_CLOCK_HZ 0u /* not known, or an emulator's */
#endif
#ifndef MCUC_BUILD_FLAGS
#define MCUC_BUILD_FLAGS ""
#endif
#define CCR (*(const volatile uint32_t *)0xE000ED14u)

enum { CCR_DCACHE = 1 << 16, CCR_ICACHE = 1 << 17 };

static struct {
  mcuc_session session;
  mcuc_verdict verdict;
  uint32_t stack_most;
  int open;
  int answered;          /* `reply` is to the request with this sequence number and CRC-32: */
  uint8_t last_sequence; /* the host asks again when an answer did not arrive, and nothing is */
  uint32_t last_crc;     /* done twice */
  mcuc_frame request;
  mcuc_frame reply;
} server;

extern uint32_t mcuc_stack_low[], mcuc_stack_top[];

static void put(const void *data, uint32_t bytes)
{
  if (bytes <= MCUC_FRAME_PAYLOAD - server.reply.bytes) {
    memcpy(server.reply.raw.payload + server.reply.bytes, data, bytes);
    server.reply.bytes += bytes;
  }
}

static void put_word(uint32_t word)
{
  put(&word, sizeof word);
}

static void put_text(const char *text)
{
  uint32_t n = 0;
  while (text[n] != '\0' && n < 200u) {
    ++n;
  }
  put(text, n);
  put("", 1);
}

static uint32_t word_at(uint32_t i)
{
  uint32_t word = 0;
  if (4u * i + 4u <= server.request.bytes) {
    memcpy(&word, server.request.raw.payload + 4u * i, 4);
  }
  return word;
}

static uint32_t flags(void)
{
  mcuc_crash crash;
  uint32_t result = mcuc_crash_get(&crash) ? (uint32_t)MCUC_HAS_FAULT : 0u;
  result |= mcuc_port_counter_present() ? (uint32_t)MCUC_HAS_COUNTER : 0u;
  result |= (CCR & CCR_ICACHE) != 0 ? (uint32_t)MCUC_HAS_ICACHE : 0u;
  result |= (CCR & CCR_DCACHE) != 0 ? (uint32_t)MCUC_HAS_DCACHE : 0u;
#ifdef MCUC_TEST_MAX_STEPS
  result |= MCUC_TEST_MAX_STEPS > 1 ? (uint32_t)MCUC_HAS_TRACE : 0u;
#endif
  return result;
}

static uint16_t identify(void)
{
  put_word(MCUC_PROTOCOL);
  put_word(MCUC_ABI);
  put_word(MCUC_FRAME_PAYLOAD);
  put_word(flags());
  put_word(server.verdict.status);
  put_word(MCUC_BOARD_CLOCK_HZ);
  put_word(mcuc_test_model_count);
  put_text(MCUC_BOARD_ID);
  put_text(__VERSION__);
  put_text(MCUC_BUILD_FLAGS);
  return MCUC_OK;
}

static uint16_t describe(void)
{
  const mcuc_test_model *model;
  uint32_t i;
  if (word_at(0) >= mcuc_test_model_count) {
    return MCUC_BAD_ARGUMENT;
  }
  model = &mcuc_test_models[word_at(0)];
  for (i = 0; i < MCUC_DIGEST_BYTES; ++i) {
    const uint8_t none = 0;
    put(model->digest ? &model->digest[i] : &none, 1);
  }
  put_word(model->n_regions);
  for (i = 0; i < model->n_regions; ++i) {
    put_word(model->region_bytes[i]);
  }
  put_word(model->state_bytes);
  put_word(model->n_inputs);
  for (i = 0; i < model->n_inputs; ++i) {
    put_word(model->input_bytes[i]);
  }
  put_word(model->n_outputs);
  for (i = 0; i < model->n_outputs; ++i) {
    put_word(model->output_bytes[i]);
  }
  put_text(model->name);
  return MCUC_OK;
}

static uint16_t open_model(void)
{
  const char *why;
  server.open = 0;
  if (server.verdict.status != MCUC_CONSTANTS_GOOD &&
      server.verdict.status != MCUC_CONSTANTS_UNKNOWN) {
    return MCUC_BAD_CONSTANTS;
  }
  why = mcuc_session_open(&server.session, word_at(0), word_at(1));
  if (why != 0) {
    put_text(why);
    return MCUC_BAD_ARGUMENT;
  }
  server.open = 1;
  return MCUC_OK;
}

static uint16_t write_input(void)
{
  const mcuc_session *s = &server.session;
  const uint32_t i = word_at(0);
  const uint32_t offset = word_at(1);
  const uint32_t bytes = server.request.bytes - 8u;
  if (server.request.bytes < 8u || i >= s->model->n_inputs || offset > s->model->input_bytes[i] ||
      bytes > s->model->input_bytes[i] - offset) {
    return MCUC_BAD_ARGUMENT;
  }
  memcpy((uint8_t *)s->model->input(&s->memory, i) + offset, server.request.raw.payload + 8, bytes);
  return MCUC_OK;
}

static uint16_t run(void)
{
  mcuc_session *s = &server.session;
  uint32_t words[MCUC_RECORD_WORDS];
  uint32_t n;
  if (server.request.bytes != 12u) {
    return MCUC_BAD_ARGUMENT;
  }
  server.reply.raw.status = MCUC_STARTED;
  mcuc_frame_send(&server.reply); /* twice: while it runs, nobody can ask again */
  mcuc_frame_send(&server.reply);
  mcuc_session_guard(s);
  mcuc_trace_watch((int32_t)word_at(1), word_at(2));
  mcuc_phase(MCUC_PHASE_RUN);
  mcuc_session_run(s, word_at(0) != 0);
  mcuc_phase(MCUC_PHASE_SERVE);
  if (mcuc_trace_overflow()) {
    return MCUC_TRACE_FULL;
  }
  server.stack_most = s->stack_used > server.stack_most ? s->stack_used : server.stack_most;
  n = mcuc_session_record(s, words);
  put_word(n);
  put(words, 4u * n);
  put_word(mcuc_trace_count());
  put_word(mcuc_trace_watched()->crc);
  put_word(mcuc_trace_watched()->count);
  return MCUC_OK;
}

static uint16_t read_part(const void *from, uint32_t have)
{
  const uint32_t offset = word_at(2);
  const uint32_t bytes = word_at(3);
  if (offset > have || bytes > have - offset || bytes > MCUC_FRAME_PAYLOAD) {
    return MCUC_BAD_ARGUMENT;
  }
  put((const uint8_t *)from + offset, bytes);
  return MCUC_OK;
}

static uint16_t read_trace(void)
{
  uint32_t i = word_at(2);
  const uint32_t end = i + word_at(3);
  if (end < i || end > mcuc_trace_count() ||
      (end - i) * sizeof(mcuc_trace_entry) > MCUC_FRAME_PAYLOAD) {
    return MCUC_BAD_ARGUMENT;
  }
  for (; i < end; ++i) {
    const mcuc_trace_entry entry = mcuc_trace_get(i);
    put(&entry, sizeof entry);
  }
  return MCUC_OK;
}

static uint16_t read_back(void)
{
  const mcuc_session *s = &server.session;
  const uint32_t i = word_at(1);
  switch (word_at(0)) {
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

static uint16_t last_fault(void)
{
  mcuc_crash crash;
  if (mcuc_crash_get(&crash)) {
    put(&crash, sizeof crash);
    mcuc_crash_clear();
  }
  return MCUC_OK;
}

static uint16_t memory_use(void)
{
  put_word((uint32_t)((uintptr_t)mcuc_stack_top - (uintptr_t)mcuc_stack_low));
  put_word(server.stack_most);
  put_word(mcuc_port_stack_intact() ? 0u : 1u);
  return MCUC_OK;
}

static uint16_t answer(uint8_t command)
{
  switch (command) {
    case MCUC_IDENTIFY:
      return identify();
    case MCUC_MODEL:
      return describe();
    case MCUC_OPEN:
      return open_model();
    case MCUC_FAULT:
      return last_fault();
    case MCUC_CHECK:
      put(&server.verdict, sizeof server.verdict);
      return MCUC_OK;
    case MCUC_MEMORY:
      return memory_use();
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
      mcuc_session_fill(&server.session, word_at(0) & 255u);
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

/* One line for people with a terminal, then a frame for the host. */
static void boot(void)
{
  static const char *const words[] = {"as built", "WRONG", "BLANK", "NOT READABLE", "not checked"};
  mcuc_crash crash;
  mcuc_port_print("mcuc on " MCUC_BOARD_ID ": constants ");
  mcuc_port_print(words[server.verdict.status]);
  mcuc_port_print(mcuc_crash_get(&crash) ? ", after a fault\r\n" : "\r\n");
  server.reply.raw.command = MCUC_BOOT;
  server.reply.raw.status = identify();
  mcuc_frame_send(&server.reply);
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
  boot();
  for (;;) {
    mcuc_frame_receive(&server.request);
    if (!server.answered || server.request.raw.sequence != server.last_sequence ||
        server.request.crc != server.last_crc) {
      server.last_sequence = server.request.raw.sequence;
      server.last_crc = server.request.crc;
      server.reply.bytes = 0;
      server.reply.raw.command = server.request.raw.command;
      server.reply.raw.sequence = server.request.raw.sequence;
      server.reply.raw.status = answer(server.request.raw.command);
      server.answered = 1;
    }
    mcuc_frame_send(&server.reply);
    if (server.request.raw.command == MCUC_RESTART) {
      mcuc_uart_flush();
      mcuc_restart();
    }
  }
}
