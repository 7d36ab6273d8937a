/* A class that a model found. */
#ifndef MCUC_CLASS_H
#define MCUC_CLASS_H

#include <stdint.h>

typedef struct mcuc_class {
  int32_t index; /* into the labels */
  float score;   /* real value of the model's output */
} mcuc_class;

#endif
