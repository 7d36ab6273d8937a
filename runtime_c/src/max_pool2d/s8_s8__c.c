/* Maximum pool, int8. */
#define MCUC_KERNEL mcuc_max_pool2d_s8_s8__c
#define MCUC_ELEMENT int8_t
#include "max_pool2d/max_pool2d_any.h"
