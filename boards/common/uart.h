/* A serial port without interrupts: uart_<kind>.c. Pins and clock of the peripheral are on. */
#ifndef MCUC_UART_H
#define MCUC_UART_H

#include "mcuc_board.h"
#include "startup.h"

/* Of the clock that there is. */
static inline uint32_t mcuc_uart_divider(void)
{
  if (mcuc_clock_failed != 0u) {
    return MCUC_BOARD_UART_RESET_DIVIDER;
  }
  return MCUC_BOARD_UART_DIVIDER;
}

void mcuc_uart_open(void);
uint8_t mcuc_uart_get(void); /* waits for a byte */
void mcuc_uart_put(uint8_t byte);
void mcuc_uart_flush(void); /* waits until the last byte is on the line */

#endif
