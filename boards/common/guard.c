/* Guard zones: a pattern that depends on the place, so that no constant fill goes unnoticed. */
#include "harness.h"
#include "port.h"

static uint8_t pattern(uint32_t i)
{
  return (uint8_t)(0xA5u ^ i ^ (i >> 8));
}

void mcuc_guard_set(const mcuc_test_ram *ram, uint32_t bytes)
{
  uint8_t *behind = ram->base + MCUC_TEST_GUARD_BYTES + bytes;
  uint32_t i;
  for (i = 0; i < MCUC_TEST_GUARD_BYTES; ++i) {
    ram->base[i] = pattern(i);
    behind[i] = pattern(i + 1u);
  }
  mcuc_port_forbid(ram->base, MCUC_TEST_GUARD_BYTES);
  mcuc_port_forbid(behind, MCUC_TEST_GUARD_BYTES);
}

void mcuc_guard_check(const mcuc_test_ram *ram, uint32_t bytes, uint32_t verdict[2])
{
  const uint8_t *behind = ram->base + MCUC_TEST_GUARD_BYTES + bytes;
  uint32_t i;
  mcuc_port_allow(ram->base, MCUC_TEST_GUARD_BYTES);
  mcuc_port_allow(behind, MCUC_TEST_GUARD_BYTES);
  verdict[0] = 0;
  verdict[1] = 0;
  for (i = MCUC_TEST_GUARD_BYTES; i-- > 0;) {
    if (ram->base[i] != pattern(i) && verdict[0] == 0) {
      verdict[0] = MCUC_TEST_GUARD_BYTES - i;
    }
    if (behind[i] != pattern(i + 1u)) {
      verdict[1] = i + 1u;
    }
  }
}
