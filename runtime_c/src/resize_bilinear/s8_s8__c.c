/* RESIZE_BILINEAR, int8, rows form. */
#define MCUC_KERNEL mcuc_resize_bilinear_s8_s8__c
#define MCUC_IN int8_t
#define MCUC_WIDE int32_t
#include "resize_bilinear/resize_bilinear_integer_any.h"
