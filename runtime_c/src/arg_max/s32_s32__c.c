/* ARG_MAX and ARG_MIN along an axis, int32. */
#define MCUC_KERNEL mcuc_arg_max_s32_s32__c
#define MCUC_ELEMENT int32_t
#include "arg_max/arg_max_any.h"
