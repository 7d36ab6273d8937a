/* UART: Arm CMSDK (MPS2 and MPS3 boards). */
#include "uart.h"

#define REGISTER(offset) (*(volatile uint32_t *)(MCUC_BOARD_UART_ADDRESS + (offset)))
#define DATA REGISTER(0x00u)
#define STATE REGISTER(0x04u)
#define CTRL REGISTER(0x08u)
#define BAUDDIV REGISTER(0x10u)

enum { TX_FULL = 1, RX_FULL = 2, TX_ENABLE = 1, RX_ENABLE = 2 };

void mcuc_uart_open(void)
{
  BAUDDIV = mcuc_uart_divider();
  CTRL = TX_ENABLE | RX_ENABLE;
  (void)DATA; /* the emulated port takes bytes in only after a first read */
}

uint8_t mcuc_uart_get(void)
{
  while ((STATE & RX_FULL) == 0) {
  }
  return (uint8_t)DATA;
}

void mcuc_uart_put(uint8_t byte)
{
  while ((STATE & TX_FULL) != 0) {
  }
  DATA = byte;
}

void mcuc_uart_flush(void)
{
  while ((STATE & TX_FULL) != 0) {
  }
}
