/* The boxes of an object detector: scores first, and only what reaches the threshold is decoded.
 *
 * Every operation is rounded to float32 in the order in which it is written (mcuc/fmath.h). What is
 * computed stands in docs/around.md; the twin in numpy is tests/around/box_twin.py.
 */
#ifndef MCUC_DETECT_H
#define MCUC_DETECT_H

#include "around/nms.h"
#include "around/scores.h"
#include "mcuc/fmath.h"

/* How four numbers are a box. */
enum {
  MCUC_DECODE_SSD,     /* offset from an anchor in its size; logarithm of a part of its size */
  MCUC_DECODE_LINEAR,  /* offset from an anchor in its size; part of its size */
  MCUC_DECODE_YOLO_V3, /* sigmoid within the cell; logarithm of a part of the anchor's size */
  MCUC_DECODE_YOLO_V5, /* 2 sigmoid - 1/2 in the cell; (2 sigmoid)^2 of the anchor's size */
  MCUC_DECODE_CENTER,  /* centre and size */
  MCUC_DECODE_CORNERS  /* left, top, right, bottom */
};

/* A grid of cells with some anchors each; rows of its tensors go through rows, columns, anchors. */
typedef struct mcuc_level {
  int32_t rows, columns, anchors;
  float step_y, step_x;     /* from cell to cell, as part of the input */
  const float *sizes;       /* [anchors][2] height, width as parts of the input; or NULL */
  mcuc_scale boxes, scores; /* of the level's tensors */
  float least;              /* stored number below which no score reaches the threshold */
} mcuc_level;

/* A tensor of rows [N][fields]: where the numbers of a row lie. */
typedef struct mcuc_rows {
  int32_t row_step, field_step, first;
} mcuc_rows;

typedef struct mcuc_detector {
  const mcuc_level *levels;
  int32_t level_count;
  mcuc_rows boxes, scores; /* the classes' scores follow the one of the object, if there is one */
  int32_t classes;
  int32_t skipped;  /* classes at the front that are background */
  int32_t most;     /* boxes in the list */
  float factors[4]; /* of the four numbers, in the order y, x, height, width */
  float threshold;  /* of the score */
  float iou;
  uint8_t decode;
  uint8_t yx;       /* the numbers are y, x, height, width, not x, y, width, height */
  uint8_t object;   /* there is a score of the object, a factor of every class's */
  uint8_t sigmoid;  /* scores are to be put through it */
  uint8_t agnostic; /* boxes of different classes suppress each other */
} mcuc_detector;

static inline float mcuc_sigmoid(float x)
{
  return 1.0f / (1.0f + mcuc_expf(-x));
}

static inline float mcuc_row_score(const mcuc_detector *d, const mcuc_scale *scale, float number)
{
  const float real = mcuc_real(scale, number);
  return d->sigmoid ? mcuc_sigmoid(real) : real;
}

/* The best class of a row; 0 if its score misses the threshold or is NaN. */
static inline int mcuc_row_class(const mcuc_detector *d, const mcuc_level *level,
                                 const void *scores, int32_t row, mcuc_box *box)
{
  const mcuc_scale *const scale = &level->scores;
  const int32_t start = row * d->scores.row_step + d->scores.first * d->scores.field_step;
  const int32_t field = d->scores.field_step;
  float object = 1.0f;
  float best = 0.0f;
  int32_t c;
  if (d->object) {
    best = mcuc_number(scale->type, scores, start);
    if (!(best >= level->least)) {
      return 0; /* no class's score is above 1 */
    }
    object = mcuc_row_score(d, scale, best);
  }
  box->index = -1;
  for (c = d->skipped; c < d->classes; ++c) {
    const float number =
        mcuc_number(scale->type, scores, start + (c + (d->object ? 1 : 0)) * field);
    if (number == number && (box->index < 0 || number > best)) {
      best = number;
      box->index = c - d->skipped;
    }
  }
  if (box->index < 0 || !(best >= level->least)) {
    return 0;
  }
  box->score = object * mcuc_row_score(d, scale, best);
  return box->score >= d->threshold;
}

/* The box of row `row` of a level, which belongs to anchor `anchor` of cell (y, x). */
static inline void mcuc_row_box(const mcuc_detector *d, const mcuc_level *level, const void *boxes,
                                int32_t row, int32_t y, int32_t x, int32_t anchor, mcuc_box *box)
{
  const int32_t start = row * d->boxes.row_step + d->boxes.first * d->boxes.field_step;
  float v[4]; /* y, x, height, width; or top, left, bottom, right */
  float height = 1.0f;
  float width = 1.0f;
  int32_t i;
  for (i = 0; i < 4; ++i) {
    const int32_t at = d->yx ? i : (i ^ 1);
    const float number = mcuc_number(level->boxes.type, boxes, start + at * d->boxes.field_step);
    v[i] = mcuc_real(&level->boxes, number) * d->factors[i];
  }
  if (level->sizes != 0) {
    height = level->sizes[2 * anchor];
    width = level->sizes[2 * anchor + 1];
  }
  switch (d->decode) {
    case MCUC_DECODE_SSD:
    case MCUC_DECODE_LINEAR:
      v[0] = v[0] * height + ((float)y + 0.5f) * level->step_y;
      v[1] = v[1] * width + ((float)x + 0.5f) * level->step_x;
      v[2] = (d->decode == MCUC_DECODE_SSD ? mcuc_expf(v[2]) : v[2]) * height;
      v[3] = (d->decode == MCUC_DECODE_SSD ? mcuc_expf(v[3]) : v[3]) * width;
      break;
    case MCUC_DECODE_YOLO_V3:
      v[0] = (mcuc_sigmoid(v[0]) + (float)y) * level->step_y;
      v[1] = (mcuc_sigmoid(v[1]) + (float)x) * level->step_x;
      v[2] = mcuc_expf(v[2]) * height;
      v[3] = mcuc_expf(v[3]) * width;
      break;
    case MCUC_DECODE_YOLO_V5:
      for (i = 0; i < 4; ++i) {
        v[i] = 2.0f * mcuc_sigmoid(v[i]);
      }
      v[0] = ((v[0] - 0.5f) + (float)y) * level->step_y;
      v[1] = ((v[1] - 0.5f) + (float)x) * level->step_x;
      v[2] = v[2] * v[2] * height;
      v[3] = v[3] * v[3] * width;
      break;
    default:
      break;
  }
  if (d->decode == MCUC_DECODE_CORNERS) {
    box->top = v[0];
    box->left = v[1];
    box->bottom = v[2];
    box->right = v[3];
    return;
  }
  box->top = v[0] - 0.5f * v[2];
  box->left = v[1] - 0.5f * v[3];
  box->bottom = v[0] + 0.5f * v[2];
  box->right = v[1] + 0.5f * v[3];
}

/* What a detector found in the tensors of each level: found[most], best first. Levels that name the
 * same tensors one after another share them: their rows follow each other. Returns how many boxes
 * there are. */
static inline int32_t mcuc_detect(const mcuc_detector *d, const void *const *boxes,
                                  const void *const *scores, mcuc_box *found)
{
  int32_t count = 0;
  int32_t row = 0;
  int32_t l, y, x, anchor;
  for (l = 0; l < d->level_count; ++l) {
    const mcuc_level *const level = &d->levels[l];
    row = l > 0 && boxes[l] == boxes[l - 1] ? row : 0;
    for (y = 0; y < level->rows; ++y) {
      for (x = 0; x < level->columns; ++x) {
        for (anchor = 0; anchor < level->anchors; ++anchor, ++row) {
          mcuc_box box;
          if (mcuc_row_class(d, level, scores[l], row, &box)) {
            mcuc_row_box(d, level, boxes[l], row, y, x, anchor, &box);
            count = mcuc_boxes_insert(found, count, d->most, &box);
          }
        }
      }
    }
  }
  return mcuc_boxes_suppress(found, count, d->iou, d->agnostic);
}

#endif
