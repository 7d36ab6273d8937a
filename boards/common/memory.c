/* RAM of the test: each region of exactly the size that the build asks for, between guard zones.
 *
 * The linker script puts section .model_ram.<n> into the board's memory that region n stands for.
 */
#include "harness.h"

#ifndef MCUC_TEST_REGION0_BYTES
#define MCUC_TEST_REGION0_BYTES 0
#endif
#ifndef MCUC_TEST_REGION1_BYTES
#define MCUC_TEST_REGION1_BYTES 0
#endif
#ifndef MCUC_TEST_REGION2_BYTES
#define MCUC_TEST_REGION2_BYTES 0
#endif
#ifndef MCUC_TEST_REGION3_BYTES
#define MCUC_TEST_REGION3_BYTES 0
#endif
#ifndef MCUC_TEST_STATE_BYTES
#define MCUC_TEST_STATE_BYTES 0
#endif
#ifndef MCUC_TEST_ALIGN
#define MCUC_TEST_ALIGN 16
#endif

_Static_assert(MCUC_MAX_REGIONS == 4, "one slab per region");
_Static_assert(MCUC_TEST_GUARD_BYTES % MCUC_TEST_ALIGN == 0, "the guard keeps the alignment");

#if defined(__ELF__)
#define MCUC_SECTION(name) __attribute__((section(name)))
#else
#define MCUC_SECTION(name)
#endif

#define MCUC_SLAB(name, section_name, bytes)                  \
  static _Alignas(MCUC_TEST_ALIGN) MCUC_SECTION(section_name) \
      uint8_t name[MCUC_TEST_GUARD_BYTES + (bytes) + MCUC_TEST_GUARD_BYTES]

MCUC_SLAB(mcuc_region0, ".model_ram.0", MCUC_TEST_REGION0_BYTES);
#if MCUC_TEST_REGION1_BYTES > 0
MCUC_SLAB(mcuc_region1, ".model_ram.1", MCUC_TEST_REGION1_BYTES);
#else
#define mcuc_region1 0
#endif
#if MCUC_TEST_REGION2_BYTES > 0
MCUC_SLAB(mcuc_region2, ".model_ram.2", MCUC_TEST_REGION2_BYTES);
#else
#define mcuc_region2 0
#endif
#if MCUC_TEST_REGION3_BYTES > 0
MCUC_SLAB(mcuc_region3, ".model_ram.3", MCUC_TEST_REGION3_BYTES);
#else
#define mcuc_region3 0
#endif
#if MCUC_TEST_STATE_BYTES > 0
MCUC_SLAB(mcuc_state, ".model_ram.state", MCUC_TEST_STATE_BYTES);
#else
#define mcuc_state 0
#endif

const mcuc_test_ram mcuc_test_rams[MCUC_MAX_REGIONS + 1] = {
    {mcuc_region0, MCUC_TEST_REGION0_BYTES}, {mcuc_region1, MCUC_TEST_REGION1_BYTES},
    {mcuc_region2, MCUC_TEST_REGION2_BYTES}, {mcuc_region3, MCUC_TEST_REGION3_BYTES},
    {mcuc_state, MCUC_TEST_STATE_BYTES},
};
