/* ARG_MAX and ARG_MIN along an axis, int8. */
#define MCUC_KERNEL mcuc_arg_max_s8_s32__c
#define MCUC_ELEMENT int8_t
#include "arg_max/arg_max_any.h"
