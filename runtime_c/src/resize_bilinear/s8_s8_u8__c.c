/* RESIZE_BILINEAR, uint8 less 128, rows form: in float32, halves up. */
#define MCUC_KERNEL mcuc_resize_bilinear_s8_s8_u8__c
#define MCUC_ELEMENT int8_t
#define MCUC_REAL(q) (float)((q) + 128)
#define MCUC_STORED(x) (int8_t)((int32_t)((x) + 0.5f) - 128)
#include "resize_bilinear/resize_bilinear_float_any.h"
