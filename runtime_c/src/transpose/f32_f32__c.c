/* TRANSPOSE of words of any type. */
#define MCUC_KERNEL mcuc_transpose_f32_f32__c
#define MCUC_ELEMENT uint32_t
#include "transpose/transpose_any.h"
