/* Counter: the core's own cycle counter (Armv7-M and later). It has no wrap flag: a run of more
 * than 2^32 cycles (9 s at 480 MHz) is not seen as such. */
#include "mcuc_board.h"
#include "port.h"

#define DEMCR (*(volatile uint32_t *)0xE000EDFCu)
#define REGISTER(offset) (*(volatile uint32_t *)(MCUC_BOARD_COUNTER_ADDRESS + (offset)))
#define CTRL REGISTER(0x0u)
#define CYCCNT REGISTER(0x4u)
#define LOCK REGISTER(0xFB0u)

void mcuc_port_counter_start(void)
{
  DEMCR |= 1u << 24;
  LOCK = 0xC5ACCE55u; /* the Cortex-M7 keeps the unit locked */
  CYCCNT = 0;
  CTRL |= 1u;
}

uint32_t mcuc_port_counter_ticks(void)
{
  return CYCCNT;
}

uint32_t mcuc_port_counter_wraps(uint32_t ticks)
{
  (void)ticks;
  return 0;
}
