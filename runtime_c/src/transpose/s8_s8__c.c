/* TRANSPOSE of bytes of any type. */
#define MCUC_KERNEL mcuc_transpose_s8_s8__c
#define MCUC_ELEMENT uint8_t
#include "transpose/transpose_any.h"
