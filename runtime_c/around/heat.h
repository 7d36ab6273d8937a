/* Objects on a heat map (FOMO): cells that reach the threshold, touching ones together.
 *
 * Cells are counted in float32, exactly; the twin in numpy is tests/around/box_twin.py.
 */
#ifndef MCUC_HEAT_H
#define MCUC_HEAT_H

#include "around/nms.h"
#include "around/scores.h"

typedef struct mcuc_heat {
  mcuc_scale scale;
  int32_t rows, columns, classes; /* of the map [rows][columns][classes] */
  int32_t skipped;                /* classes at the front that are background */
  int32_t most;                   /* boxes in the list */
  float least;                    /* stored number that a score must reach */
} mcuc_heat;

/* Whether boxes in units of cells touch, corners too. */
static inline int mcuc_cells_touch(const mcuc_box *a, const mcuc_box *b)
{
  return a->index == b->index && a->top <= b->bottom && b->top <= a->bottom &&
         a->left <= b->right && b->left <= a->right;
}

/* Makes a the box around both, with the better score. */
static inline void mcuc_cells_join(mcuc_box *a, const mcuc_box *b)
{
  a->top = a->top < b->top ? a->top : b->top;
  a->left = a->left < b->left ? a->left : b->left;
  a->bottom = a->bottom > b->bottom ? a->bottom : b->bottom;
  a->right = a->right > b->right ? a->right : b->right;
  a->score = a->score > b->score ? a->score : b->score;
}

/* Joins a new box with all that it touches, again as long as it grows. Returns the boxes left. */
static inline int32_t mcuc_cells_gather(mcuc_box *boxes, int32_t count, mcuc_box *box)
{
  int32_t i = 0;
  while (i < count) {
    if (mcuc_cells_touch(&boxes[i], box)) {
      mcuc_cells_join(box, &boxes[i]);
      boxes[i] = boxes[--count];
      i = 0;
    } else {
      ++i;
    }
  }
  return count;
}

/* boxes[most], best first, at equal scores the one whose upper left cell comes first. An object
 * more than there is room for takes the place of the one with the least score, if its own is
 * better. Returns how many there are. */
static inline int32_t mcuc_heat_objects(const mcuc_heat *heat, const void *map, mcuc_box *boxes)
{
  const float height = (float)heat->rows;
  const float width = (float)heat->columns;
  int32_t count = 0;
  int32_t cell, c, i;
  for (cell = 0; cell < heat->rows * heat->columns; ++cell) {
    for (c = heat->skipped; c < heat->classes; ++c) {
      mcuc_box box;
      box.score = mcuc_number(heat->scale.type, map, cell * heat->classes + c);
      if (!(box.score >= heat->least)) {
        continue;
      }
      box.top = (float)(cell / heat->columns);
      box.left = (float)(cell % heat->columns);
      box.bottom = box.top + 1.0f;
      box.right = box.left + 1.0f;
      box.index = c - heat->skipped;
      count = mcuc_cells_gather(boxes, count, &box);
      if (count == heat->most) {
        int32_t weakest = 0;
        for (i = 1; i < count; ++i) {
          weakest = boxes[i].score < boxes[weakest].score ? i : weakest;
        }
        if (box.score > boxes[weakest].score) {
          boxes[weakest] = box;
        }
      } else {
        boxes[count++] = box;
      }
    }
  }
  for (i = 1; i < count; ++i) { /* insertion sort */
    const mcuc_box box = boxes[i];
    int32_t place;
    for (place = i; place > 0; --place) {
      const mcuc_box *const other = &boxes[place - 1];
      const int earlier = box.top < other->top || (box.top == other->top && box.left < other->left);
      if (!(box.score > other->score || (box.score == other->score && earlier))) {
        break;
      }
      boxes[place] = *other;
    }
    boxes[place] = box;
  }
  for (i = 0; i < count; ++i) {
    boxes[i].top = boxes[i].top / height;
    boxes[i].left = boxes[i].left / width;
    boxes[i].bottom = boxes[i].bottom / height;
    boxes[i].right = boxes[i].right / width;
    boxes[i].score = mcuc_real(&heat->scale, boxes[i].score);
  }
  return count;
}

#endif
