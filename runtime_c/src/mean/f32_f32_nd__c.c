/* MEAN over any axes, float32: sum / count. Bit-exact to mcuc/ops/mean.py:ref. */
#include "mean/mean.h"

#define MCUC_KERNEL mcuc_mean_f32_f32_nd__c
#define MCUC_PARAMS mcuc_mean_nd_f32_params
#define MCUC_ELEMENT float
#define MCUC_SUM float
#define MCUC_START(p) 0.0f
#define MCUC_STEP(p, sum, x) (sum) + (x)
#define MCUC_RESULT(p, sum) (sum) / (float)(p)->count
#include "mcuc/reduce_axes.h"
