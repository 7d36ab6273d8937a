/* First half of SVDF, int8 with a state of int16. */
#define MCUC_KERNEL mcuc_svdf_feature_s8_s8_s16__c
#define MCUC_ELEMENT int16_t
#define MCUC_LEAST INT16_MIN
#define MCUC_MOST INT16_MAX
#include "svdf_feature/svdf_feature_any.h"
