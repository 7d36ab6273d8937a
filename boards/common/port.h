/* What the test program needs of the machine it runs on: files and console of the host, a counter,
 * and a look at the stack. Implemented by port_semihosting.c or port_uart.c (firmware, with
 * port_arm.c and others for the parts of a core) and port_host.c. */
#ifndef MCUC_PORT_H
#define MCUC_PORT_H

#include <stdint.h>

/* Exit statuses of the test program; twins of mcuc/device/faults.py. A hang has no status: the host
 * ends the program when its time is over. */
enum {
  MCUC_EXIT_OK = 0,
  MCUC_EXIT_BAD_REQUEST = 10,
  MCUC_EXIT_FILE = 11,  /* a file could not be opened, read or written */
  MCUC_EXIT_CLOCK = 12, /* the board's clock did not start */
  MCUC_EXIT_FAULT = 20
};

/* Files on the host. Handles are not negative; every failure ends the program (MCUC_EXIT_FILE). */
int32_t mcuc_port_open(const char *name, int write);
void mcuc_port_read(int32_t file, void *data, uint32_t bytes);
void mcuc_port_write(int32_t file, const void *data, uint32_t bytes);
void mcuc_port_seek(int32_t file, uint32_t position);
void mcuc_port_close(int32_t file);

void mcuc_port_print(const char *text);
_Noreturn void mcuc_port_exit(int status);

/* What the core tells about a fault (Armv7-M's registers), told to the host and then the end. */
typedef struct mcuc_fault {
  uint32_t exception, pc, lr, sp, cfsr, hfsr, mmfar, bfar;
} mcuc_fault;
_Noreturn void mcuc_port_fault(const mcuc_fault *fault);

/* The counter, free running and counting up. `start` restarts it; `ticks` are its low 32 bits;
 * `wraps` says how often 2^32 ticks passed on top of the `ticks` since `start`, or that the counter
 * cannot tell. mcuc_port_units turns ticks into the board's unit, rounded: a tick is finer than an
 * instruction, so the result is exact. */
#define MCUC_WRAPS_UNKNOWN 0xFFFFFFFFu
int mcuc_port_counter_present(void); /* it is there and runs; starts it */
void mcuc_port_counter_start(void);
uint32_t mcuc_port_counter_ticks(void);
uint32_t mcuc_port_counter_wraps(uint32_t ticks);
uint64_t mcuc_port_units(uint64_t ticks);

/* The stack: `pointer` is the caller's stack pointer (0 on a host: nothing is known); `paint` fills
 * what is free with a pattern; `used` then gives the bytes below `pointer` that were written since
 * (never less than paint's own frame, 8 bytes or so); `intact` that the last words were not
 * reached. */
uintptr_t mcuc_port_stack_pointer(void);
void mcuc_port_stack_paint(void);
uint32_t mcuc_port_stack_used(uintptr_t pointer);
int mcuc_port_stack_intact(void);

/* Makes accesses to [data, data + bytes) an error until allowed again, where the port can. */
void mcuc_port_forbid(const void *data, uint32_t bytes);
void mcuc_port_allow(const void *data, uint32_t bytes);

/* The test program, for the port's entry point. */
_Noreturn void mcuc_harness(const char *request, const char *response);

#endif
