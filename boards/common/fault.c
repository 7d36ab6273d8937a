/* Faults: tell the host what happened and where, then end with a status of their own. */
#include "mcuc_board.h"
#include "port.h"

#define CFSR 0xE000ED28u
#define HFSR 0xE000ED2Cu
#define MMFAR 0xE000ED34u
#define BFAR 0xE000ED38u

enum { FRAME_BYTES = 32, FRAME_LR = 5, FRAME_PC = 6 };

extern uint32_t mcuc_stack_low[], mcuc_stack_top[];
extern uint32_t mcuc_fault_stack_top[];

void mcuc_fault_entry(void);
__attribute__((used)) _Noreturn void mcuc_fault_report(uint32_t frame, uint32_t exception);

/* Takes a stack of its own: the fault may be that the stack is gone. */
__attribute__((naked)) void mcuc_fault_entry(void)
{
  __asm__ volatile(
      "mrs r0, msp\n\t"
      "mrs r1, ipsr\n\t"
      "ldr r2, 1f\n\t"
      "mov sp, r2\n\t"
      "bl mcuc_fault_report\n\t"
      ".balign 4\n"
      "1: .word mcuc_fault_stack_top\n");
}

static uint32_t load(uint32_t address)
{
  return *(const volatile uint32_t *)address;
}

_Noreturn void mcuc_fault_report(uint32_t frame, uint32_t exception)
{
  const int readable = frame >= (uint32_t)(uintptr_t)mcuc_stack_low &&
                       frame + FRAME_BYTES <= (uint32_t)(uintptr_t)mcuc_stack_top;
  mcuc_fault fault;
  fault.exception = exception & 511u;
  fault.pc = readable ? load(frame + 4u * FRAME_PC) : 0u;
  fault.lr = readable ? load(frame + 4u * FRAME_LR) : 0u;
  fault.sp = frame;
  fault.cfsr = load(CFSR);
  fault.hfsr = load(HFSR);
  fault.mmfar = load(MMFAR);
  fault.bfar = load(BFAR);
  mcuc_port_fault(&fault);
}
