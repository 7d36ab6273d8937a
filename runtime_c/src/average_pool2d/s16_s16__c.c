/* Average pool, int16. */
#define MCUC_KERNEL mcuc_average_pool2d_s16_s16__c
#define MCUC_ELEMENT int16_t
#include "average_pool2d/average_pool2d_any.h"
