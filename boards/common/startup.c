/* Start-up of the test firmware: vectors, core set-up, RAM contents. */
#include "mcuc_board.h"
#include "port.h"

#define VTOR (*(volatile uint32_t *)0xE000ED08u)
#define CCR (*(volatile uint32_t *)0xE000ED14u)
#define SHCSR (*(volatile uint32_t *)0xE000ED24u)
#define CPACR (*(volatile uint32_t *)0xE000ED88u)

extern uint32_t mcuc_stack_top[];
extern uint32_t mcuc_data_start[], mcuc_data_end[], mcuc_data_load[];
extern uint32_t mcuc_bss_start[], mcuc_bss_end[];
extern uint32_t mcuc_outside_start[], mcuc_outside_end[];

void mcuc_reset(void);
_Noreturn void mcuc_start(void);
_Noreturn void mcuc_port_main(void);
void mcuc_fault_entry(void);
void mcuc_fence(void);

typedef void (*vector)(void);

/* Stack pointer, then exceptions 1..15. No interrupt is ever enabled. */
__attribute__((section(".vectors"), used)) static const struct {
  uint32_t *stack;
  vector exceptions[15];
} vectors = {
    mcuc_stack_top,
    {mcuc_reset, mcuc_fault_entry, mcuc_fault_entry, mcuc_fault_entry, mcuc_fault_entry,
     mcuc_fault_entry, mcuc_fault_entry, 0, 0, 0, mcuc_fault_entry, mcuc_fault_entry, 0,
     mcuc_fault_entry, mcuc_fault_entry},
};

/* Apart from mcuc_start, so that nothing which the compiler may vectorise runs before the
 * coprocessors are on. */
void mcuc_reset(void)
{
#if MCUC_BOARD_COPROCESSORS
  CPACR |= 0xFu << 20; /* CP10, CP11: FPU and Helium */
  __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
  mcuc_start();
}

static void set_bits(uint32_t address, uint32_t mask)
{
  volatile uint32_t *word = (volatile uint32_t *)address;
  *word |= mask;
  (void)*word; /* wait until the write arrived */
}

__attribute__((noinline)) _Noreturn void mcuc_start(void)
{
  const volatile uint32_t *from = mcuc_data_load;
  volatile uint32_t *to; /* volatile: no memcpy, no memset */

  VTOR = (uint32_t)(uintptr_t)&vectors;
  SHCSR |= 7u << 16;                                 /* own handlers for memory, bus, usage */
  CCR |= (1u << 4) | (MCUC_BOARD_UNALIGN_TRAP << 3); /* division by zero, unaligned access */
#define MCUC_SET(address, mask) set_bits(address, mask);
  MCUC_BOARD_SET_BITS
#undef MCUC_SET
      (void)
  set_bits;
  mcuc_fence();
  for (to = mcuc_data_start; to < mcuc_data_end;) {
    *to++ = *from++;
  }
  for (to = mcuc_bss_start; to < mcuc_bss_end;) {
    *to++ = 0;
  }
  for (to = mcuc_outside_start; to < mcuc_outside_end;) {
    *to++ = 0;
  }
  mcuc_port_main();
}
