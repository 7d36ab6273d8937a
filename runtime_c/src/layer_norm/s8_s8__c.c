/* Layer normalization over the channels, int8. */
#define MCUC_KERNEL mcuc_layer_norm_s8_s8__c
#define MCUC_ELEMENT int8_t
#include "layer_norm/layer_norm_any.h"
