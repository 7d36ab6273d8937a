/* Comparisons, float32, with broadcast: bool. */
#define MCUC_KERNEL mcuc_pairwise_f32_f32_u8__c
#define MCUC_IN float
#include "pairwise/pairwise_compare_any.h"
