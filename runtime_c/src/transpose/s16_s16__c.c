/* TRANSPOSE of halfwords of any type. */
#define MCUC_KERNEL mcuc_transpose_s16_s16__c
#define MCUC_ELEMENT uint16_t
#include "transpose/transpose_any.h"
