/* TOP_K along the last axis, float32 without NaN. */
#define MCUC_KERNEL mcuc_top_k_f32_s32__c
#define MCUC_ELEMENT float
#include "top_k/top_k_any.h"
