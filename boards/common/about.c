/* What the device tells about itself, its models and its last fault. */
#include "answer.h"
#include "harness.h"
#include "mcuc_board.h"
#include "server.h"
#include "startup.h"

#ifndef MCUC_BUILD_FLAGS
#define MCUC_BUILD_FLAGS ""
#endif
#define CCR (*(const volatile uint32_t *)0xE000ED14u)

enum { CCR_DCACHE = 1 << 16, CCR_ICACHE = 1 << 17 };

extern uint32_t mcuc_stack_low[], mcuc_stack_top[];

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

uint16_t mcuc_tell_identity(const mcuc_verdict *verdict)
{
  mcuc_put_word(MCUC_PROTOCOL);
  mcuc_put_word(MCUC_ABI);
  mcuc_put_word(MCUC_FRAME_PAYLOAD);
  mcuc_put_word(flags());
  mcuc_put_word(verdict->status);
  mcuc_put_word(mcuc_clock_failed != 0u ? MCUC_BOARD_RESET_HZ : MCUC_BOARD_CLOCK_HZ);
  mcuc_put_word(mcuc_test_model_count);
  mcuc_put_word(mcuc_clock_failed);
  mcuc_put_text(MCUC_BOARD_ID);
  mcuc_put_text(__VERSION__);
  mcuc_put_text(MCUC_BUILD_FLAGS);
  return MCUC_OK;
}

uint16_t mcuc_tell_model(void)
{
  const mcuc_test_model *model;
  uint32_t i;
  if (mcuc_request_word(0) >= mcuc_test_model_count) {
    return MCUC_BAD_ARGUMENT;
  }
  model = &mcuc_test_models[mcuc_request_word(0)];
  for (i = 0; i < MCUC_DIGEST_BYTES; ++i) {
    const uint8_t none = 0;
    mcuc_put(model->digest ? &model->digest[i] : &none, 1);
  }
  mcuc_put_word(model->n_regions);
  for (i = 0; i < model->n_regions; ++i) {
    mcuc_put_word(model->region_bytes[i]);
  }
  mcuc_put_word(model->state_bytes);
  mcuc_put_word(model->n_inputs);
  for (i = 0; i < model->n_inputs; ++i) {
    mcuc_put_word(model->input_bytes[i]);
  }
  mcuc_put_word(model->n_outputs);
  for (i = 0; i < model->n_outputs; ++i) {
    mcuc_put_word(model->output_bytes[i]);
  }
  mcuc_put_text(model->name);
  return MCUC_OK;
}

uint16_t mcuc_tell_fault(void)
{
  mcuc_crash crash;
  if (mcuc_crash_get(&crash)) {
    mcuc_put(&crash, sizeof crash);
    mcuc_crash_clear();
  }
  return MCUC_OK;
}

uint16_t mcuc_tell_memory(uint32_t stack_most)
{
  mcuc_put_word((uint32_t)((uintptr_t)mcuc_stack_top - (uintptr_t)mcuc_stack_low));
  mcuc_put_word(stack_most);
  mcuc_put_word(mcuc_port_stack_intact() ? 0u : 1u);
  return MCUC_OK;
}

/* One line for people with a terminal, then a frame for the host. */
void mcuc_tell_boot(const mcuc_verdict *verdict)
{
  static const char *const words[] = {"as built", "WRONG", "BLANK", "NOT READABLE", "not checked"};
  mcuc_crash crash;
  mcuc_port_print("mcuc on " MCUC_BOARD_ID ": constants ");
  mcuc_port_print(words[verdict->status]);
  mcuc_port_print(mcuc_crash_get(&crash) ? ", after a fault" : "");
  mcuc_port_print(mcuc_clock_failed != 0u ? ", THE CLOCK DID NOT START\r\n" : "\r\n");
  mcuc_reply.raw.command = MCUC_BOOT;
  mcuc_reply.raw.status = mcuc_tell_identity(verdict);
  mcuc_frame_send(&mcuc_reply);
}
