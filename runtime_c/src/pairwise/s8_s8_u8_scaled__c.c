/* Comparisons at a common scale, int8, with broadcast: bool. */
#define MCUC_KERNEL mcuc_pairwise_s8_s8_u8_scaled__c
#define MCUC_IN int8_t
#include "pairwise/pairwise_scaled_any.h"
