/* TOP_K along the last axis, int64. */
#define MCUC_KERNEL mcuc_top_k_s64_s32__c
#define MCUC_ELEMENT int64_t
#include "top_k/top_k_any.h"
