/* LOGISTIC of float32: 1 / (1 + exp(-x)); 1 above 16.619, exp(x) below -9.
 *
 * src : pixels of `channels` f32
 * dst : pixels of `channels` f32; may be src
 * Bit-exact to mcuc/ops/logistic.py:ref.
 */
#include "logistic/logistic.h"
#include "mcuc/fmath.h"
#include "mcuc/program.h"

#define MCUC_KERNEL mcuc_logistic_f32_f32__c
#define MCUC_PARAMS mcuc_logistic_f32_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, x) mcuc_logisticf(x)
#include "mcuc/each.h"
