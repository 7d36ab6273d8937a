/* Average pool, int8. */
#define MCUC_KERNEL mcuc_average_pool2d_s8_s8__c
#define MCUC_ELEMENT int8_t
#include "average_pool2d/average_pool2d_any.h"
