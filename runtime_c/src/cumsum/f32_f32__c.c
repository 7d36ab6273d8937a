/* CUMSUM along an axis, float32. */
#define MCUC_KERNEL mcuc_cumsum_f32_f32__c
#define MCUC_ELEMENT float
#include "cumsum/cumsum_any.h"
