/* ARG_MAX and ARG_MIN along an axis, float32. */
#define MCUC_KERNEL mcuc_arg_max_f32_s32__c
#define MCUC_ELEMENT float
#include "arg_max/arg_max_any.h"
