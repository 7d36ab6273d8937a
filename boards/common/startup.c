/* Start-up: vectors, core set-up, the board's registers, caches, RAM contents. */
#include "startup.h"
#include "mcuc_board.h"

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

volatile uint32_t mcuc_clock_failed;

#ifdef MCUC_BOARD_STEPS
enum { STEP_FIELD, STEP_WAIT, STEP_DELAY }; /* twins in mcuc/device/startup.py */

/* Turns of a wait: a second or two at the 4 MHz that the slowest parts start with. Oscillators and
 * PLLs take milliseconds. */
#define MOST_TURNS 1000000u

static const struct {
  uint32_t kind, address, mask, value;
} steps[] = {MCUC_BOARD_STEPS}; /* the clock's, those of the fallback, the peripherals' */

static int met(uint32_t i)
{
  const volatile uint32_t *word = (const volatile uint32_t *)steps[i].address;
  uint32_t turns;
  for (turns = 0; turns < MOST_TURNS; ++turns) {
    if ((*word & steps[i].mask) == steps[i].value) {
      return 1;
    }
  }
  return 0;
}

/* Returns 0, or the number of a wait (from 1) that came to nothing: none behind it is done. */
static uint32_t carry_out(uint32_t i, uint32_t count)
{
  const uint32_t end = i + count;
  for (; i < end; ++i) {
    volatile uint32_t *word = (volatile uint32_t *)steps[i].address;
    volatile uint32_t left = steps[i].value;
    switch (steps[i].kind) {
      case STEP_FIELD:
        *word = (*word & ~steps[i].mask) | steps[i].value;
        (void)*word; /* wait until the write arrived */
        break;
      case STEP_WAIT:
        if (!met(i)) {
          return i + 1u;
        }
        break;
      default:
        while (left != 0) {
          --left;
        }
        break;
    }
  }
  return 0;
}

/* Power, flash, clock and pins, as the board's description says. */
static uint32_t set_up(void)
{
  const uint32_t failed = carry_out(0, MCUC_BOARD_CLOCK_STEPS);
  if (failed != 0) {
    (void)carry_out(MCUC_BOARD_CLOCK_STEPS, MCUC_BOARD_FALLBACK_STEPS);
  }
  (void)carry_out(MCUC_BOARD_CLOCK_STEPS + MCUC_BOARD_FALLBACK_STEPS, MCUC_BOARD_PERIPHERAL_STEPS);
  return failed;
}
#else
static uint32_t set_up(void)
{
  return 0;
}
#endif

#if MCUC_BOARD_INSTRUCTION_CACHE
#define ICIALLU (*(volatile uint32_t *)0xE000EF50u)

static void instruction_cache_on(void)
{
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  ICIALLU = 0;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  CCR |= 1u << 17;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}
#endif

#if MCUC_BOARD_DATA_CACHE
#define CSSELR (*(volatile uint32_t *)0xE000ED84u)
#define CCSIDR (*(volatile uint32_t *)0xE000ED80u)
#define DCISW (*(volatile uint32_t *)0xE000EF60u)

/* Four ways of 32-byte lines (Cortex-M7 and -M55 Technical Reference Manuals); the contents are
 * undefined after reset and are invalidated line by line. */
static void data_cache_on(void)
{
  uint32_t last_set, set, way;
  CSSELR = 0;
  __asm__ volatile("dsb" ::: "memory");
  last_set = (CCSIDR >> 13) & 0x7FFFu;
  for (set = 0; set <= last_set; ++set) {
    for (way = 0; way < 4u; ++way) {
      DCISW = (way << 30) | (set << 5);
    }
  }
  __asm__ volatile("dsb" ::: "memory");
  CCR |= 1u << 16;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}
#endif

__attribute__((noinline)) _Noreturn void mcuc_start(void)
{
  const volatile uint32_t *from = mcuc_data_load;
  volatile uint32_t *to; /* volatile: no memcpy, no memset */
  uint32_t failed;

  VTOR = (uint32_t)(uintptr_t)&vectors;
  SHCSR |= 7u << 16;                                 /* own handlers for memory, bus, usage */
  CCR |= (1u << 4) | (MCUC_BOARD_UNALIGN_TRAP << 3); /* division by zero, unaligned access */
  failed = set_up();
#if MCUC_BOARD_INSTRUCTION_CACHE
  instruction_cache_on();
#endif
#if MCUC_BOARD_DATA_CACHE
  data_cache_on();
#endif
  mcuc_fence();
  for (to = mcuc_data_start; (uintptr_t)to < (uintptr_t)mcuc_data_end;) {
    *to++ = *from++;
  }
  for (to = mcuc_bss_start; (uintptr_t)to < (uintptr_t)mcuc_bss_end;) {
    *to++ = 0;
  }
  for (to = mcuc_outside_start; (uintptr_t)to < (uintptr_t)mcuc_outside_end;) {
    *to++ = 0;
  }
  mcuc_clock_failed = failed;
  mcuc_port_main();
}
