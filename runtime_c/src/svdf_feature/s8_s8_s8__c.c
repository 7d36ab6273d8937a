/* First half of SVDF, int8 with a state of int8. */
#define MCUC_KERNEL mcuc_svdf_feature_s8_s8_s8__c
#define MCUC_ELEMENT int8_t
#define MCUC_LEAST INT8_MIN
#define MCUC_MOST INT8_MAX
#include "svdf_feature/svdf_feature_any.h"
