/* Tiny hand-written models for the tests of the test program. Each adds 1 to its input bytes; what
 * the later ones do besides is what their names say. */
#include "harness.h"

#include <string.h>

enum { N = 37, ARENA = 100 };

static int add(const mcuc_memory *memory)
{
  const uint8_t *in = (const uint8_t *)memory->ram[0];
  uint8_t *out = (uint8_t *)memory->ram[0] + 50;
  int i;
  for (i = 0; i < N; ++i) {
    out[i] = (uint8_t)(in[i] + 1u);
  }
  return 7;
}

static int write_behind(const mcuc_memory *memory)
{
  ((volatile uint8_t *)memory->ram[0])[ARENA + 2] = 0;
  return add(memory);
}

static int write_before(const mcuc_memory *memory)
{
  volatile uint8_t *edge = (volatile uint8_t *)memory->ram[0];
  edge[-5] = 0;
  return add(memory);
}

#ifdef __arm__
static int fault(const mcuc_memory *memory)
{
  (void)memory;
  __asm__ volatile(".short 0xde00"); /* permanently undefined */
  return 0;
}

static int unaligned(const mcuc_memory *memory)
{
  const volatile uint32_t *word = (const volatile uint32_t *)((uintptr_t)memory->ram[0] + 1u);
  return (int)*word;
}

static int bad_address(const mcuc_memory *memory)
{
  (void)memory;
  return (int)*(volatile uint32_t *)0xF0000000u; /* vendor space: nothing is there */
}
#else
static int fault(const mcuc_memory *memory)
{
  (void)memory;
  __builtin_trap();
}

static int unaligned(const mcuc_memory *memory)
{
  return add(memory);
}

static int bad_address(const mcuc_memory *memory)
{
  (void)memory;
  volatile uintptr_t nowhere = 16; /* volatile: the compiler must not see it */
  return (int)*(volatile uint32_t *)nowhere;
}
#endif

/* As many rounds of a loop of a few instructions as the first four input bytes say. */
static int rounds(const mcuc_memory *memory)
{
  uint32_t n;
  memcpy(&n, memory->ram[0], sizeof n);
  while (n > 0) {
    __asm__ volatile("nop");
    --n;
  }
  return 0;
}

static int hang(const mcuc_memory *memory)
{
  volatile uint8_t *flag = (volatile uint8_t *)memory->ram[0];
  while (*flag == *flag) {
  }
  return 0;
}

/* Starts anew, as a watchdog would. */
static int reset(const mcuc_memory *memory)
{
  (void)memory;
#ifdef __arm__
  *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u;
  for (;;) {
  }
#endif
  return 0;
}

/* Faults where no handler can be found. */
static int lockup(const mcuc_memory *memory)
{
  (void)memory;
#ifdef __arm__
  *(volatile uint32_t *)0xE000ED08u = 0xF0000000u;
  __asm__ volatile("dsb\n\t.short 0xde00");
#endif
  return 0;
}

/* Counts the runs in its state. */
static int count(const mcuc_memory *memory)
{
  uint32_t *runs = (uint32_t *)memory->state;
  *runs += 1u;
  (void)add(memory);
  return (int)*runs;
}

static void reset_count(const mcuc_memory *memory)
{
  *(uint32_t *)memory->state = 100u;
}

/* Uses 1000 bytes of stack and a little. */
static int deep(const mcuc_memory *memory)
{
  volatile uint8_t local[1000];
  uint32_t i;
  for (i = 0; i < sizeof local; ++i) {
    local[i] = (uint8_t)i;
  }
  return add(memory) + local[999] - local[999];
}

static int overrun_stack(const mcuc_memory *memory)
{
#ifdef __arm__
  extern uint32_t mcuc_stack_low[];
  *(volatile uint32_t *)mcuc_stack_low = 1;
#endif
  return add(memory);
}

#ifdef MCUC_TRACE
extern void mcuc_trace_begin(const mcuc_step *step);
extern void mcuc_trace_end(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n);

/* Two steps over a 3 x 4 map of 2-byte pixels in a ring of two rows, and its last row as a fold. */
static int traced(const mcuc_memory *memory)
{
  static const mcuc_step rows = {
      .out = {.place = {.offset = 40}, .rows = 2, .row_stride = 10, .pixel_stride = 2},
      .y1 = 3, .x0 = 1, .x1 = 4, .out_pixel_bytes = 2, .id = 1};
  static const mcuc_step fold = {
      .out = {.place = {.offset = 70}, .rows = 1, .row_stride = 8, .pixel_stride = 2},
      .y1 = 3, .x1 = 4, .out_pixel_bytes = 2, .fold = 1, .id = 3};
  const uint8_t *in = (const uint8_t *)memory->ram[0];
  int32_t y;
  for (y = 0; y < 3; ++y) {
    mcuc_trace_begin(&rows);
    memcpy(mcuc_output_at(memory, &rows.out, y, 0), in + 8 * y, 8);
    mcuc_trace_end(&rows, memory, y, 1);
    mcuc_trace_begin(&fold);
    memcpy(mcuc_output_at(memory, &fold.out, 0, 0), in + 8 * y, 8);
    mcuc_trace_end(&fold, memory, y, 1);
  }
  return 0;
}
#else
#define traced add
#endif

static void *input(const mcuc_memory *memory, uint32_t i)
{
  (void)i;
  return memory->ram[0];
}

static const void *output(const mcuc_memory *memory, uint32_t i)
{
  (void)i;
  return (const uint8_t *)memory->ram[0] + 50;
}

static const uint32_t sizes[1] = {N};
static const uint32_t arena[1] = {ARENA};
static const uint32_t too_large[1] = {ARENA + 1};

#define MODEL(function, regions, state, reset_function)                                     \
  {                                                                                         \
    .name = #function, .run = function, .n_regions = 1, .region_bytes = regions,            \
    .state_bytes = state, .n_inputs = 1, .n_outputs = 1, .input = input, .output = output,  \
    .input_bytes = sizes, .output_bytes = sizes, .reset = reset_function                    \
  }

const mcuc_test_model mcuc_test_models[] = {
    MODEL(add, arena, 0, 0),          MODEL(write_behind, arena, 0, 0),
    MODEL(write_before, arena, 0, 0), MODEL(fault, arena, 0, 0),
    MODEL(unaligned, arena, 0, 0),    MODEL(bad_address, arena, 0, 0),
    MODEL(hang, arena, 0, 0),         MODEL(count, arena, 4, reset_count),
    MODEL(deep, arena, 0, 0),         MODEL(overrun_stack, arena, 0, 0),
    MODEL(traced, arena, 0, 0),       MODEL(add, too_large, 0, 0),
    MODEL(rounds, arena, 0, 0),       MODEL(reset, arena, 0, 0),
    MODEL(lockup, arena, 0, 0),
};
const uint32_t mcuc_test_model_count = sizeof mcuc_test_models / sizeof mcuc_test_models[0];
