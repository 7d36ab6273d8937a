/* UART: STM32 USART with SR and DR (RM0090: F2, F4; also F1, L1). */
#include "uart.h"

#define REGISTER(offset) (*(volatile uint32_t *)(MCUC_BOARD_UART_ADDRESS + (offset)))
#define SR REGISTER(0x00u)
#define DR REGISTER(0x04u)
#define BRR REGISTER(0x08u)
#define CR1 REGISTER(0x0Cu)

enum { RXNE = 1u << 5, TC = 1u << 6, TXE = 1u << 7, RE = 1u << 2, TE = 1u << 3, UE = 1u << 13 };

void mcuc_uart_open(void)
{
  CR1 = 0;
  BRR = mcuc_uart_divider();
  CR1 = UE | TE | RE;
}

uint8_t mcuc_uart_get(void)
{
  while ((SR & RXNE) == 0) {
  }
  return (uint8_t)DR; /* reading SR, then DR, also clears an overrun */
}

void mcuc_uart_put(uint8_t byte)
{
  while ((SR & TXE) == 0) {
  }
  DR = byte;
}

void mcuc_uart_flush(void)
{
  while ((SR & TC) == 0) {
  }
}
