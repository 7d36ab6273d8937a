/* TOP_K along the last axis, int16. */
#define MCUC_KERNEL mcuc_top_k_s16_s32__c
#define MCUC_ELEMENT int16_t
#include "top_k/top_k_any.h"
