/* Port for firmware that talks to its host by a serial port. */
#include "port.h"
#include "server.h"
#include "uart.h"

void mcuc_port_print(const char *text)
{
  while (*text != '\0') {
    mcuc_uart_put((uint8_t)*text++);
  }
}

_Noreturn void mcuc_port_main(void);
_Noreturn void mcuc_port_main(void)
{
  mcuc_uart_open();
  mcuc_serve();
}
