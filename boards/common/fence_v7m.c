/* MPU fence (Armv7-M): leaves exactly the RAM of a smaller part, so that an access outside faults
 * as it would there. What is no part of the part (see MCUC_OUTSIDE) lies in memory of its own. */
#include "mcuc_board.h"

#include <stdint.h>

#define MPU_CTRL (*(volatile uint32_t *)0xE000ED94u)
#define MPU_RNR (*(volatile uint32_t *)0xE000ED98u)
#define MPU_RBAR (*(volatile uint32_t *)0xE000ED9Cu)
#define MPU_RASR (*(volatile uint32_t *)0xE000EDA0u)

enum {
  LAST_REGION = 6,
  OUTSIDE = 7,
  ACCESS_NONE = 0,
  ACCESS_FULL = 3,
  ENABLE = 1,
  DEFAULT_MAP = 4
};

void mcuc_fence(void);

static void region(uint32_t number, uint32_t base, uint32_t log2_bytes, uint32_t access)
{
  MPU_RNR = number;
  MPU_RBAR = base;
  MPU_RASR = (1u << 28) | (access << 24) | ((log2_bytes - 1u) << 1) | ENABLE; /* no execution */
}

void mcuc_fence(void)
{
  uint32_t base = MCUC_BOARD_FENCE_ADDRESS;
  uint32_t left = MCUC_BOARD_FENCE_BYTES;
  uint32_t number = 2;
  region(0, 0x20000000u, 29, ACCESS_NONE); /* the SRAM part of the map */
  region(1, 0x10000000u, 28, ACCESS_NONE); /* below it: an overrun stack */
  while (left >= 32u && number <= LAST_REGION) {
    uint32_t log2_bytes = 5;
    while ((2u << log2_bytes) <= left && (base & ((2u << log2_bytes) - 1u)) == 0) {
      ++log2_bytes;
    }
    region(number++, base, log2_bytes, ACCESS_FULL);
    base += 1u << log2_bytes;
    left -= 1u << log2_bytes;
  }
#if MCUC_BOARD_OUTSIDE_LOG2 > 0
  region(OUTSIDE, MCUC_BOARD_OUTSIDE_ADDRESS, MCUC_BOARD_OUTSIDE_LOG2, ACCESS_FULL);
#endif
  __asm__ volatile("dsb" ::: "memory");
  MPU_CTRL = ENABLE | DEFAULT_MAP;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}
