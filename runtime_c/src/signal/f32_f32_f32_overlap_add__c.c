/* Overlapping frames, float32. */
#include "mcuc/fmath.h"

#define MCUC_KERNEL mcuc_signal_f32_f32_f32_overlap_add__c
#define MCUC_ELEMENT float
#define MCUC_ADD(a, b) (a) + (b)
#include "signal/overlap_add_any.h"
