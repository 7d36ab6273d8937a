/* TOP_K along the last axis, int8. */
#define MCUC_KERNEL mcuc_top_k_s8_s32__c
#define MCUC_ELEMENT int8_t
#include "top_k/top_k_any.h"
