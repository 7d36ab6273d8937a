/* RESIZE_BILINEAR, int16, rows form. */
#define MCUC_KERNEL mcuc_resize_bilinear_s16_s16__c
#define MCUC_IN int16_t
#define MCUC_WIDE int64_t
#include "resize_bilinear/resize_bilinear_integer_any.h"
