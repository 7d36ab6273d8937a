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
} mcuc_test_model;

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

/* trace.c: what each step did since `reset`. */
typedef struct mcuc_trace_entry {
  uint32_t id;
  uint32_t calls;
  uint32_t units_low, units_high; /* counter units, calls of the counter taken off */
  uint32_t crc;                   /* CRC-32 (zlib) of the output rows in the order produced */
} mcuc_trace_entry;

void mcuc_trace_reset(int enabled, uint32_t overhead_units);
uint32_t mcuc_trace_count(void);
mcuc_trace_entry mcuc_trace_get(uint32_t i);
int mcuc_trace_overflow(void);

#endif
