/* Lists of boxes: the best ones, and of those that lie on each other the best one.
 *
 * Every operation is rounded to float32 in the order in which it is written.
 */
#ifndef MCUC_NMS_H
#define MCUC_NMS_H

#include "around/box.h"

/* Puts a box into a list of the `most` best, best first, at equal scores the earlier first. Returns
 * the new length. */
static inline int32_t mcuc_boxes_insert(mcuc_box *boxes, int32_t count, int32_t most,
                                        const mcuc_box *box)
{
  int32_t place;
  if (count == most && !(box->score > boxes[most - 1].score)) {
    return count;
  }
  count += count < most ? 1 : 0;
  for (place = count - 1; place > 0 && box->score > boxes[place - 1].score; --place) {
    boxes[place] = boxes[place - 1];
  }
  boxes[place] = *box;
  return count;
}

static inline float mcuc_box_area(const mcuc_box *box)
{
  const float height = box->bottom - box->top;
  const float width = box->right - box->left;
  return height > 0.0f && width > 0.0f ? height * width : 0.0f;
}

/* Whether two boxes share more than `iou` of what they cover together. */
static inline int mcuc_boxes_overlap(const mcuc_box *a, const mcuc_box *b, float iou)
{
  mcuc_box both;
  float shared;
  both.top = a->top > b->top ? a->top : b->top;
  both.left = a->left > b->left ? a->left : b->left;
  both.bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
  both.right = a->right < b->right ? a->right : b->right;
  shared = mcuc_box_area(&both);
  return shared > iou * (mcuc_box_area(a) + mcuc_box_area(b) - shared);
}

/* Greedy non-maximum suppression: a box stays unless it overlaps a better one that stays; with
 * `agnostic` one of any class. Returns how many stay, in their order, at the front of the list. */
static inline int32_t mcuc_boxes_suppress(mcuc_box *boxes, int32_t count, float iou, int agnostic)
{
  int32_t kept = 0;
  int32_t i, k;
  for (i = 0; i < count; ++i) {
    for (k = 0; k < kept; ++k) {
      if ((agnostic || boxes[k].index == boxes[i].index) &&
          mcuc_boxes_overlap(&boxes[k], &boxes[i], iou)) {
        break;
      }
    }
    if (k == kept) {
      boxes[kept++] = boxes[i];
    }
  }
  return kept;
}

#endif
