/* The test program's view of compiled models: the generated glue defines the table. */
#ifndef MCUC_HARNESS_H
#define MCUC_HARNESS_H

#include "mcuc/program.h"

typedef struct mcuc_test_model {
  const char *name;
  int (*run)(const mcuc_memory *memory);
  uint32_t n_regions;
  const uint32_t *region_bytes; /* [n_regions], exact */
  uint32_t state_bytes;
  uint32_t n_inputs, n_outputs;
  void *(*input)(const mcuc_memory *memory, uint32_t i);
  const void *(*output)(const mcuc_memory *memory, uint32_t i);
  const uint32_t *input_bytes, *output_bytes;
  void (*reset)(const mcuc_memory *memory); /* initial state; NULL: zeros */
  const uint8_t *digest;                    /* [MCUC_DIGEST_BYTES] of the generated C, or NULL */
  const mcuc_constant *constants;           /* [*n_constants], NULL: they are not checked */
  const uint32_t *n_constants;
} mcuc_test_model;

enum { MCUC_DIGEST_BYTES = 16 };

/* The last two entries of a model that is compiled with a list of its constants, or without. */
#ifdef MCUC_SELF_CHECK
#define MCUC_TEST_CONSTANTS(name) name##_constants, &name##_n_constants
#else
#define MCUC_TEST_CONSTANTS(name) 0, 0
#endif

extern const mcuc_test_model mcuc_test_models[];
extern const uint32_t mcuc_test_model_count;

/* One piece of RAM of the test: [guard | bytes | guard]. */
typedef struct mcuc_test_ram {
  uint8_t *base; /* of the leading guard */
  uint32_t bytes;
} mcuc_test_ram;

/* memory.c: regions 0..MCUC_MAX_REGIONS-1, then the state. */
extern const mcuc_test_ram mcuc_test_rams[MCUC_MAX_REGIONS + 1];

/* Bytes of each guard zone, a multiple of the arena's alignment. */
#ifndef MCUC_TEST_GUARD_BYTES
#define MCUC_TEST_GUARD_BYTES 1024u
#endif

/* What stands for the world around the part, or watches it: a camera's image, the trace. A fenced
 * board has memory for it beyond its fence. */
#if defined(__arm__)
#define MCUC_OUTSIDE __attribute__((section(".outside")))
#else
#define MCUC_OUTSIDE
#endif

/* guard.c. A verdict is the distance in bytes from the region's edge to the nearest damaged guard
 * byte, counted from 1; 0 = intact. */
void mcuc_guard_set(const mcuc_test_ram *ram, uint32_t bytes);
void mcuc_guard_check(const mcuc_test_ram *ram, uint32_t bytes, uint32_t verdict[2]);

/* session.c: one model being run. */
typedef struct mcuc_session {
  const mcuc_test_model *model;
  mcuc_memory memory;
  int (*volatile run)(const mcuc_memory *memory); /* volatile: no compiler specialises the call */
  uint64_t overhead;                              /* counter units of an empty measurement */
  int counter;                                    /* whether the counter runs */
  uintptr_t stack; /* stack pointer at the measured call, 0 = unknown */
  uint32_t stack_used;
  uint32_t ticks, wraps;
  int code; /* of the last run */
} mcuc_session;

/* Takes a model with its state as at first; NULL, or why it cannot be run. */
const char *mcuc_session_open(mcuc_session *session, uint32_t model, uint32_t poison);
void mcuc_session_fill(const mcuc_session *session, uint32_t poison);
void mcuc_session_guard(const mcuc_session *session);
void mcuc_session_run(mcuc_session *session, int trace);

/* What was seen of the last run, in words: return code, flags (bit 0 counter valid, bit 1 stack
 * known), counter units (low, high), stack bytes, number of regions (bit 16: and a state), two
 * verdicts (before, behind) of each and of the stack. Returns how many. */
enum { MCUC_RECORD_WORDS = 6 + 2 * (MCUC_MAX_REGIONS + 2) };
uint32_t mcuc_session_record(const mcuc_session *session, uint32_t words[MCUC_RECORD_WORDS]);

/* trace.c: what each step did since `reset`. */
typedef struct mcuc_trace_entry {
  uint32_t id;
  uint32_t calls;
  uint32_t units_low, units_high; /* counter units, calls of the counter taken off */
  uint32_t crc;                   /* CRC-32 of the output rows in the order produced */
} mcuc_trace_entry;

/* A look into one step's output rows, in the order produced and hashed: the CRC-32 of the bytes
 * before `offset`, and those behind it. */
enum { MCUC_WATCH_BYTES = 256, MCUC_WATCH_NONE = -1 };
typedef struct mcuc_watch {
  int32_t step;
  uint32_t offset;
  uint32_t seen; /* bytes produced so far */
  uint32_t crc;
  uint32_t count; /* of `bytes` */
  uint8_t bytes[MCUC_WATCH_BYTES];
} mcuc_watch;

void mcuc_trace_reset(int enabled, uint32_t overhead_units);
void mcuc_trace_watch(int32_t step, uint32_t offset);
uint32_t mcuc_trace_count(void);
mcuc_trace_entry mcuc_trace_get(uint32_t i);
const mcuc_watch *mcuc_trace_watched(void);
int mcuc_trace_overflow(void);

#endif
