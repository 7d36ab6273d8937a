/* A box that a model found. */
#ifndef MCUC_BOX_H
#define MCUC_BOX_H

#include <stdint.h>

/* Parts of the model's input: 0 is its upper or left edge, 1 the lower or right one. Boxes may
 * reach over the edges. */
typedef struct mcuc_box {
  float top, left, bottom, right;
  float score;
  int32_t index; /* of the class, background not counted: into the labels */
} mcuc_box;

#endif
