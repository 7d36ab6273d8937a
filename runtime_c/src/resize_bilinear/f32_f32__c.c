/* RESIZE_BILINEAR, float32, rows form. */
#define MCUC_KERNEL mcuc_resize_bilinear_f32_f32__c
#define MCUC_ELEMENT float
#define MCUC_REAL(q) (q)
#define MCUC_STORED(x) (x)
#include "resize_bilinear/resize_bilinear_float_any.h"
