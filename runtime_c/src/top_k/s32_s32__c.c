/* TOP_K along the last axis, int32. */
#define MCUC_KERNEL mcuc_top_k_s32_s32__c
#define MCUC_ELEMENT int32_t
#include "top_k/top_k_any.h"
