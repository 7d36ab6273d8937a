/* CUMSUM along an axis, int64. */
#define MCUC_KERNEL mcuc_cumsum_s64_s64__c
#define MCUC_ELEMENT uint64_t
#include "cumsum/cumsum_any.h"
