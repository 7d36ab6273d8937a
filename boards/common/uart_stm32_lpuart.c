/* UART: STM32 LPUART. The registers of a USART; its divider counts in 1/256 clocks. */
#include "uart_stm32_v2.c"
