/* CUMSUM along an axis, int32. */
#define MCUC_KERNEL mcuc_cumsum_s32_s32__c
#define MCUC_ELEMENT uint32_t
#include "cumsum/cumsum_any.h"
