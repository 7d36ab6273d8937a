/* The machine below an application's main(): nothing but start-up. */
#include "mcuc_board.h"

extern int main(void);

_Noreturn void mcuc_port_main(void);
void mcuc_fault_entry(void);
void mcuc_fence(void);

void mcuc_fence(void)
{
}

void mcuc_fault_entry(void)
{
  for (;;) {
  }
}

_Noreturn void mcuc_port_main(void)
{
  (void)main();
  for (;;) {
  }
}
