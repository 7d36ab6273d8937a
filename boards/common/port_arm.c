/* What all ports for firmware share: the counter's units, and no guarding of memory. */
#include "mcuc_board.h"
#include "port.h"

int mcuc_port_counter_present(void)
{
  uint32_t start;
  uint32_t i;
  mcuc_port_counter_start();
  start = mcuc_port_counter_ticks();
  for (i = 0; i < 1000u; ++i) {
    __asm__ volatile("nop");
  }
  return mcuc_port_counter_ticks() != start;
}

uint64_t mcuc_port_units(uint64_t ticks)
{
  const uint64_t scaled = ticks * MCUC_BOARD_COUNTER_NUMERATOR;
  return (scaled + MCUC_BOARD_COUNTER_DENOMINATOR / 2) / MCUC_BOARD_COUNTER_DENOMINATOR;
}

void mcuc_port_forbid(const void *data, uint32_t bytes)
{
  (void)data;
  (void)bytes;
}

void mcuc_port_allow(const void *data, uint32_t bytes)
{
  (void)data;
  (void)bytes;
}
