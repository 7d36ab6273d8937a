/* A frame of a camera, as the functions <model>_preprocess read it. */
#ifndef MCUC_FRAME_H
#define MCUC_FRAME_H

#include <stdint.h>

/* Line y lies at pixels + y * stride; with `lines` at pixels + (y % lines) * stride, so that a
 * frame need not be whole in memory: a ring of the last lines does while they come. */
typedef struct mcuc_frame {
  const uint8_t *pixels;
  int32_t width, height; /* in pixels, at most 32767 each */
  int32_t stride;        /* bytes from line to line */
  int32_t lines;         /* lines in memory; 0 = the frame is whole */
} mcuc_frame;

/* A part of a frame, or of an image. */
typedef struct mcuc_rect {
  int32_t x, y, width, height;
} mcuc_rect;

#endif
