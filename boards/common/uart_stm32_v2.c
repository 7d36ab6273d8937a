/* UART: STM32 USART with ISR, RDR and TDR (RM0385: F7; also F0, F3, G, H, L4, L5, U5, N6). */
#include "uart.h"

#define REGISTER(offset) (*(volatile uint32_t *)(MCUC_BOARD_UART_ADDRESS + (offset)))
#define CR1 REGISTER(0x00u)
#define BRR REGISTER(0x0Cu)
#define ISR REGISTER(0x1Cu)
#define ICR REGISTER(0x20u)
#define RDR REGISTER(0x24u)
#define TDR REGISTER(0x28u)

enum {
  UE = 1u << 0,
  RE = 1u << 2,
  TE = 1u << 3,
  ERRORS = 0xFu, /* parity, framing, noise, overrun: the same bits in ISR and ICR */
  RXNE = 1u << 5,
  TC = 1u << 6,
  TXE = 1u << 7
};

void mcuc_uart_open(void)
{
  CR1 = 0;
  BRR = mcuc_uart_divider();
  CR1 = UE | TE | RE;
}

uint8_t mcuc_uart_get(void)
{
  uint32_t state;
  do {
    state = ISR;
    if ((state & ERRORS) != 0) {
      ICR = ERRORS; /* after an overrun nothing comes until it is cleared */
    }
  } while ((state & RXNE) == 0);
  return (uint8_t)RDR;
}

void mcuc_uart_put(uint8_t byte)
{
  while ((ISR & TXE) == 0) {
  }
  TDR = byte;
}

void mcuc_uart_flush(void)
{
  while ((ISR & TC) == 0) {
  }
}
