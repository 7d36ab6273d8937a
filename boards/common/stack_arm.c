/* Stack watermark: a pattern below the stack pointer shows how deep a run went. */
#include "port.h"

#define PATTERN 0x5AC35AC3u
#define LAST_WORDS 8u

extern uint32_t mcuc_stack_low[];

/* Naked: the caller's stack pointer, not one below a frame of its own. */
__attribute__((naked, noinline)) uintptr_t mcuc_port_stack_pointer(void)
{
  __asm__ volatile("mov r0, sp\n\tbx lr");
}

void mcuc_port_stack_paint(void)
{
  volatile uint32_t *word = mcuc_stack_low;
  const uintptr_t here = mcuc_port_stack_pointer();
  while ((uintptr_t)word < here) {
    *word++ = PATTERN;
  }
}

uint32_t mcuc_port_stack_used(uintptr_t pointer)
{
  const volatile uint32_t *word = mcuc_stack_low;
  while ((uintptr_t)word < pointer && *word == PATTERN) {
    ++word;
  }
  return (uint32_t)(pointer - (uintptr_t)word);
}

int mcuc_port_stack_intact(void)
{
  uint32_t i;
  for (i = 0; i < LAST_WORDS; ++i) {
    if (((const volatile uint32_t *)mcuc_stack_low)[i] != PATTERN) {
      return 0;
    }
  }
  return 1;
}
