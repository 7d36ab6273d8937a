/* A serial port without interrupts: uart_<kind>.c. Pins and clock of the peripheral are on. */
#ifndef MCUC_UART_H
#define MCUC_UART_H

#include <stdint.h>

void mcuc_uart_open(void);
uint8_t mcuc_uart_get(void); /* waits for a byte */
void mcuc_uart_put(uint8_t byte);
void mcuc_uart_flush(void); /* waits until the last byte is on the line */

#endif
