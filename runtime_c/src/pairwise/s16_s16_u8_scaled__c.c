/* Comparisons at a common scale, int16, with broadcast: bool. EQUAL and NOT_EQUAL alone. */
#define MCUC_KERNEL mcuc_pairwise_s16_s16_u8_scaled__c
#define MCUC_IN int16_t
#include "pairwise/pairwise_scaled_any.h"
