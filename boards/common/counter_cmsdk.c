/* Counter: Arm CMSDK timer (mps2 boards), counts down. */
#include "mcuc_board.h"
#include "port.h"

#define REGISTER(offset) (*(volatile uint32_t *)(MCUC_BOARD_COUNTER_ADDRESS + (offset)))
#define CTRL REGISTER(0x0u)
#define VALUE REGISTER(0x4u)
#define RELOAD REGISTER(0x8u)
#define STATUS REGISTER(0xCu)

void mcuc_port_counter_start(void)
{
  CTRL = 0;
  STATUS = 1; /* clears */
  RELOAD = 0xFFFFFFFFu;
  VALUE = 0xFFFFFFFFu;
  CTRL = 9; /* run, and note a wrap in STATUS; the interrupt itself stays off in the NVIC */
}

uint32_t mcuc_port_counter_ticks(void)
{
  return 0xFFFFFFFFu - VALUE;
}

int mcuc_port_counter_wrapped(void)
{
  return (STATUS & 1u) != 0;
}
