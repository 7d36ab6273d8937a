/* Counter: STM32 TIM2, 32 bits. */
#include "mcuc_board.h"
#include "port.h"

#define REGISTER(offset) (*(volatile uint32_t *)(MCUC_BOARD_COUNTER_ADDRESS + (offset)))
#define CR1 REGISTER(0x00u)
#define DIER REGISTER(0x0Cu)
#define SR REGISTER(0x10u)
#define EGR REGISTER(0x14u)
#define CNT REGISTER(0x24u)
#define PSC REGISTER(0x28u)
#define ARR REGISTER(0x2Cu)

void mcuc_port_counter_start(void)
{
  CR1 = 0;
  PSC = 0;
  ARR = 0xFFFFFFFFu;
  EGR = 1; /* update: takes PSC over and sets CNT to 0 */
  SR = 0;
  DIER = 1; /* the emulator notes a wrap only with the interrupt enabled here */
  CR1 = 1;
}

uint32_t mcuc_port_counter_ticks(void)
{
  return CNT;
}

uint32_t mcuc_port_counter_wraps(uint32_t ticks)
{
  (void)ticks;
  return (SR & 1u) != 0 ? MCUC_WRAPS_UNKNOWN : 0u; /* the flag does not count */
}
