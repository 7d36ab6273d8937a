/* Comparisons, int16, with broadcast: bool. */
#define MCUC_KERNEL mcuc_pairwise_s16_s16_u8__c
#define MCUC_IN int16_t
#include "pairwise/pairwise_compare_any.h"
