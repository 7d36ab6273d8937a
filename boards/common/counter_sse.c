/* Counter: system counter of Arm SSE-300 (mps3-an547), 64 bits. */
#include "mcuc_board.h"
#include "port.h"

#define CONTROL (*(volatile uint32_t *)0x58100000u) /* CNTCR of the secure control frame */
#define REGISTER(offset) (*(volatile uint32_t *)(MCUC_BOARD_COUNTER_ADDRESS + (offset)))
#define LOW REGISTER(0x0u)
#define HIGH REGISTER(0x4u)

static uint64_t started;

static uint64_t now(void)
{
  uint32_t high;
  uint32_t low;
  do {
    high = HIGH;
    low = LOW;
  } while (high != HIGH);
  return ((uint64_t)high << 32) | low;
}

void mcuc_port_counter_start(void)
{
  CONTROL = 1;
  started = now();
}

uint32_t mcuc_port_counter_ticks(void)
{
  return LOW;
}

uint32_t mcuc_port_counter_wraps(uint32_t ticks)
{
  return (uint32_t)((now() - started - ticks) >> 32);
}
