/* Comparisons, int64, with broadcast: bool. */
#define MCUC_KERNEL mcuc_pairwise_s64_s64_u8__c
#define MCUC_IN int64_t
#include "pairwise/pairwise_compare_any.h"
