/* Layer normalization over the channels, int16. */
#define MCUC_KERNEL mcuc_layer_norm_s16_s16__c
#define MCUC_ELEMENT int16_t
#include "layer_norm/layer_norm_any.h"
