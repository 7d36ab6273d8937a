/* Counter: Arm CMSDK timer (mps2 boards), counts down.
 *
 * Its 32 bits last for little more than 10^9 instructions and its status cannot count wraps. So one
 * of the dual timer behind it runs along at 1/256 of the clock: coarse, but long enough to tell how
 * often the fine one wrapped.
 */
#include "mcuc_board.h"
#include "port.h"

#define REGISTER(offset) (*(volatile uint32_t *)(MCUC_BOARD_COUNTER_ADDRESS + (offset)))
#define CTRL REGISTER(0x0u)
#define VALUE REGISTER(0x4u)
#define RELOAD REGISTER(0x8u)
#define COARSE_LOAD REGISTER(0x2000u)
#define COARSE_VALUE REGISTER(0x2004u)
#define COARSE_CONTROL REGISTER(0x2008u)

enum { RUN = 1, COARSE_RUN_32_BITS_BY_256 = 0x8A };

void mcuc_port_counter_start(void)
{
  CTRL = 0;
  COARSE_CONTROL = 0;
  RELOAD = 0xFFFFFFFFu;
  VALUE = 0xFFFFFFFFu;
  COARSE_LOAD = 0xFFFFFFFFu;
  COARSE_CONTROL = COARSE_RUN_32_BITS_BY_256;
  CTRL = RUN;
}

uint32_t mcuc_port_counter_ticks(void)
{
  return 0xFFFFFFFFu - VALUE;
}

uint32_t mcuc_port_counter_wraps(uint32_t ticks)
{
  const uint64_t coarse = (uint64_t)(0xFFFFFFFFu - COARSE_VALUE) << 8;
  return (uint32_t)((coarse + 0x80000000u - ticks) >> 32); /* to the nearest */
}
