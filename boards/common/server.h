/* The device's side of the protocol (docs/protocol.md); twin of mcuc/device/protocol.py. */
#ifndef MCUC_SERVER_H
#define MCUC_SERVER_H

#include "port.h"

enum { MCUC_PROTOCOL = 2 };

/* What the program was doing, kept over a reset. */
enum { MCUC_PHASE_START = 0, MCUC_PHASE_CHECK = 1, MCUC_PHASE_SERVE = 2, MCUC_PHASE_RUN = 3 };

/* The last fault, kept over the reset that it led to; crash.c. */
typedef struct mcuc_crash {
  mcuc_fault fault;
  uint32_t phase;
} mcuc_crash;

int mcuc_crash_get(mcuc_crash *crash); /* whether there is one */
void mcuc_crash_clear(void);
void mcuc_phase(uint32_t phase);
_Noreturn void mcuc_restart(void);

/* Verdict on the constants of all models; check.c. The other fields are those of the first wrong
 * one. */
enum {
  MCUC_CONSTANTS_GOOD = 0,
  MCUC_CONSTANTS_WRONG = 1,
  MCUC_CONSTANTS_BLANK = 2, /* as an erased memory: every byte 0xFF, or every byte 0 */
  MCUC_CONSTANTS_UNREADABLE = 3,
  MCUC_CONSTANTS_UNKNOWN = 4
};
typedef struct mcuc_verdict {
  uint32_t status, model, index, address, bytes, expected, found;
} mcuc_verdict;

void mcuc_check_constants(mcuc_verdict *verdict);

/* Commands of the host; a frame of the device has that of the request it answers. */
enum {
  MCUC_BOOT = 0, /* unasked, when the program starts: the payload of MCUC_IDENTIFY */
  MCUC_IDENTIFY = 1,
  MCUC_MODEL = 2,
  MCUC_OPEN = 3,
  MCUC_FILL = 4,
  MCUC_WRITE = 5,
  MCUC_RUN = 6,
  MCUC_READ = 7,
  MCUC_FAULT = 8,
  MCUC_CHECK = 9,
  MCUC_MEMORY = 10,
  MCUC_RESTART = 11
};

enum {
  MCUC_OK = 0,
  MCUC_STARTED = 1, /* the run begins; its result follows in a frame of its own */
  MCUC_UNKNOWN = 2,
  MCUC_BAD_ARGUMENT = 3,
  MCUC_NOT_OPEN = 4,
  MCUC_BAD_CONSTANTS = 5,
  MCUC_TRACE_FULL = 6
};

enum { MCUC_READ_OUTPUT = 0, MCUC_READ_TRACE = 1, MCUC_READ_WATCH = 2, MCUC_READ_REGION = 3 };

enum {
  MCUC_HAS_FAULT = 1,
  MCUC_HAS_COUNTER = 2,
  MCUC_HAS_ICACHE = 4,
  MCUC_HAS_DCACHE = 8,
  MCUC_HAS_TRACE = 16
};

/* about.c: answers that need no model to be open; the status of each. */
uint16_t mcuc_tell_identity(const mcuc_verdict *verdict);
uint16_t mcuc_tell_model(void);
uint16_t mcuc_tell_fault(void);
uint16_t mcuc_tell_memory(uint32_t stack_most);

/* Unasked: one line for people with a terminal, then a frame for the host. */
void mcuc_tell_boot(const mcuc_verdict *verdict);

_Noreturn void mcuc_serve(void);

#endif
