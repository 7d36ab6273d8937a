/* TRANSPOSE of doublewords of any type. */
#define MCUC_KERNEL mcuc_transpose_s64_s64__c
#define MCUC_ELEMENT uint64_t
#include "transpose/transpose_any.h"
