/* Overlapping frames, int16, saturated with every addition. */
#include <stdint.h>

static inline int16_t mcuc_signal_saturating_add(int16_t a, int16_t b)
{
  const int32_t y = (int32_t)a + b;
  return (int16_t)(y > INT16_MAX ? INT16_MAX : (y < INT16_MIN ? INT16_MIN : y));
}

#define MCUC_KERNEL mcuc_signal_s16_s16_s16_overlap_add__c
#define MCUC_ELEMENT int16_t
#define MCUC_ADD(a, b) mcuc_signal_saturating_add(a, b)
#include "signal/overlap_add_any.h"
