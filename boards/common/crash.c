/* The last fault, in memory that start-up leaves alone. */
#include "crc32.h"
#include "mcuc_board.h"
#include "server.h"

#define AIRCR (*(volatile uint32_t *)0xE000ED0Cu)
#define RESET_REQUEST 0x05FA0004u
#define MAGIC 0x4641554Cu

static __attribute__((section(".noinit"))) struct {
  uint32_t magic;
  mcuc_crash crash;
  uint32_t crc; /* of `crash`: after power-on the memory holds anything */
} kept;

static uint32_t phase;

void mcuc_phase(uint32_t now)
{
  phase = now;
}

int mcuc_crash_get(mcuc_crash *crash)
{
  *crash = kept.crash;
  return kept.magic == MAGIC && kept.crc == mcuc_crc32(0, &kept.crash, sizeof kept.crash);
}

void mcuc_crash_clear(void)
{
  kept.magic = 0;
}

#if MCUC_BOARD_DATA_CACHE
#define DCCMVAC (*(volatile uint32_t *)0xE000EF68u)

/* A reset drops what the data cache has not written yet. */
static void clean(const void *data, uint32_t bytes)
{
  uintptr_t line = (uintptr_t)data & ~(uintptr_t)31;
  for (; line < (uintptr_t)data + bytes; line += 32u) {
    DCCMVAC = (uint32_t)line;
  }
}
#endif

_Noreturn void mcuc_restart(void)
{
  __asm__ volatile("dsb" ::: "memory");
  AIRCR = RESET_REQUEST;
  for (;;) {
  }
}

_Noreturn void mcuc_port_fault(const mcuc_fault *fault)
{
  kept.crash.fault = *fault;
  kept.crash.phase = phase;
  kept.crc = mcuc_crc32(0, &kept.crash, sizeof kept.crash);
  kept.magic = MAGIC;
#if MCUC_BOARD_DATA_CACHE
  clean(&kept, sizeof kept);
#endif
  mcuc_restart();
}
