/* Maximum pool, int16. */
#define MCUC_KERNEL mcuc_max_pool2d_s16_s16__c
#define MCUC_ELEMENT int16_t
#include "max_pool2d/max_pool2d_any.h"
