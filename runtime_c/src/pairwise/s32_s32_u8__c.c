/* Comparisons, int32, with broadcast: bool. */
#define MCUC_KERNEL mcuc_pairwise_s32_s32_u8__c
#define MCUC_IN int32_t
#include "pairwise/pairwise_compare_any.h"
