/* A frame -> the input of a model: part of it, resized, each 8-bit number replaced by table.
 *
 * The table holds what mean, standard deviation and quantization make of the 256 numbers: nothing
 * is computed with them here. One row of the input at a time, in any order. Integers only; the twin
 * in numpy is tests/around/image_twin.py.
 */
#ifndef MCUC_IMAGE_H
#define MCUC_IMAGE_H

#include <string.h>

#include "around/frame.h"
#include "around/pixel.h"

enum {
  MCUC_FIT_STRETCH,   /* all of the part becomes all of the input */
  MCUC_FIT_CROP,      /* the largest part in the middle that has the input's proportions */
  MCUC_FIT_LETTERBOX, /* all of the part in the middle of the input, bars beside it */
};

enum { MCUC_RESIZE_NEAREST, MCUC_RESIZE_BILINEAR };

enum { MCUC_LARGEST_FRAME = 32767 };

/* How a model wants its images; constant. */
typedef struct mcuc_image {
  int32_t rows, columns; /* of the input, at most 32767 each */
  mcuc_rect part;        /* of the frame; no width = all of it */
  const void *table;     /* [256] elements of the input, or [channels][256] */
  int32_t channel_table; /* 0, or 256: elements from channel to channel of the table */
  int32_t pixel_step;    /* elements of the input from pixel to pixel */
  int32_t channel_step;  /* from channel to channel */
  uint8_t format, color; /* of the frame, of the input */
  uint8_t fit, resize;   /* as above */
  uint8_t element_bytes; /* of the input */
  uint8_t bar;           /* number of the bars of a letterbox */
} mcuc_image;

/* Which part of a frame becomes which part of the input. Empty (width 0) for impossible frames. */
typedef struct mcuc_view {
  mcuc_rect source, target;
} mcuc_view;

/* a * b / c, rounded, at least 1; the numbers are at most 32767. */
static inline int32_t mcuc_scaled(int32_t a, int32_t b, int32_t c)
{
  const int32_t result =
      (int32_t)((2u * (uint32_t)a * (uint32_t)b + (uint32_t)c) / (2u * (uint32_t)c));
  return result > 0 ? result : 1;
}

/* The part that was asked for, as far as the frame has it. */
static inline mcuc_rect mcuc_image_part(const mcuc_image *image, const mcuc_frame *frame)
{
  mcuc_rect part = image->part;
  if (part.width == 0) {
    part.width = frame->width;
    part.height = frame->height;
  }
  part.width = part.width < frame->width - part.x ? part.width : frame->width - part.x;
  part.height = part.height < frame->height - part.y ? part.height : frame->height - part.y;
  return part;
}

static inline mcuc_view mcuc_image_view(const mcuc_image *image, const mcuc_frame *frame)
{
  mcuc_view view;
  mcuc_rect *const from = &view.source;
  mcuc_rect *const to = &view.target;
  memset(&view, 0, sizeof view);
  if (frame->width <= 0 || frame->width > MCUC_LARGEST_FRAME || frame->height <= 0 ||
      frame->height > MCUC_LARGEST_FRAME) {
    return view;
  }
  *from = mcuc_image_part(image, frame);
  if (from->width <= 0 || from->height <= 0) {
    from->width = 0;
    return view;
  }
  to->width = image->columns;
  to->height = image->rows;
  if (image->fit != MCUC_FIT_STRETCH) {
    const int32_t wide = from->width * image->rows; /* wide > high: wider than the input */
    const int32_t high = from->height * image->columns;
    if (image->fit == MCUC_FIT_CROP) {
      const mcuc_rect all = *from;
      if (wide > high) {
        from->width = mcuc_scaled(all.height, image->columns, image->rows);
      } else {
        from->height = mcuc_scaled(all.width, image->rows, image->columns);
      }
      from->x += (all.width - from->width) / 2;
      from->y += (all.height - from->height) / 2;
    } else {
      if (wide > high) {
        to->height = mcuc_scaled(from->height, image->columns, from->width);
      } else {
        to->width = mcuc_scaled(from->width, image->rows, from->height);
      }
      to->x = (image->columns - to->width) / 2;
      to->y = (image->rows - to->height) / 2;
    }
  }
  return view;
}

/* Where along an axis a number of the input comes from: between first and second of the source, at
 * fraction / 256 of the way. */
typedef struct mcuc_between {
  int32_t first, second, fraction;
} mcuc_between;

/* Centres of pixels lie at halves: number i of `to` lies at (i + 1/2) * from / to - 1/2 of the
 * source. Nearest takes the pixel that holds that point; ties go up. */
MCUC_PIXEL_INLINE mcuc_between mcuc_image_between(int resize, int32_t i, int32_t from, int32_t to)
{
  mcuc_between between;
  int32_t place = (2 * i + 1) * from; /* in units of 1 / (2 * to), corners at 0 */
  const int32_t unit = 2 * to;
  if (resize == MCUC_RESIZE_NEAREST) {
    between.first = place / unit;
    between.second = between.first;
    between.fraction = 0;
    return between;
  }
  place = place < to ? 0 : place - to;
  between.first = place / unit;
  between.second = between.first + 1 < from ? between.first + 1 : between.first;
  between.fraction = (place - between.first * unit) * 256 / unit;
  return between;
}

MCUC_PIXEL_INLINE void mcuc_image_store(const mcuc_image *image, int32_t channel, uint8_t number,
                                        uint8_t *pixel)
{
  const uint32_t size = image->element_bytes;
  const uint8_t *const table = (const uint8_t *)image->table;
  const int32_t entry = channel * image->channel_table + number;
  memcpy(pixel + (uint32_t)(channel * image->channel_step) * size, table + (uint32_t)entry * size,
         size);
}

static inline const uint8_t *mcuc_frame_line(const mcuc_frame *frame, int32_t y)
{
  return frame->pixels + (frame->lines > 0 ? y % frame->lines : y) * frame->stride;
}

/* The lines of the frame that row y of the input reads: [first, last]; none (last < first) in a bar
 * of a letterbox or for impossible frames. */
static inline void mcuc_image_lines(const mcuc_image *image, const mcuc_frame *frame, int32_t y,
                                    int32_t *first, int32_t *last)
{
  const mcuc_view view = mcuc_image_view(image, frame);
  const int32_t row = y - view.target.y;
  *first = 0;
  *last = -1;
  if (view.source.width > 0 && row >= 0 && row < view.target.height) {
    const mcuc_between rows =
        mcuc_image_between(image->resize, row, view.source.height, view.target.height);
    *first = view.source.y + rows.first;
    *last = view.source.y + rows.second;
  }
}

/* A channel between the corners {upper left, upper right, lower left, lower right}: (256 - f) of
 * one and f of the other, in both directions, rounded once. */
MCUC_PIXEL_INLINE void mcuc_image_mix(const mcuc_image *image, int32_t channel,
                                      uint8_t corner[4][3], int32_t across, int32_t down,
                                      uint8_t *pixel)
{
  const int32_t above =
      256 * corner[0][channel] + (corner[1][channel] - corner[0][channel]) * across;
  const int32_t below =
      256 * corner[2][channel] + (corner[3][channel] - corner[2][channel]) * across;
  const int32_t number = (256 * above + (below - above) * down + 32768) >> 16;
  mcuc_image_store(image, channel, (uint8_t)number, pixel);
}

/* Row y of the input. Nothing is written for an impossible frame. */
static inline void mcuc_image_row(const mcuc_image *image, const mcuc_frame *frame,
                                  const mcuc_view *view, int32_t y, void *out)
{
  const int32_t channels = image->color == MCUC_COLOR_GRAY ? 1 : 3;
  const mcuc_rect *const from = &view->source;
  const mcuc_rect *const to = &view->target;
  const int32_t row = y - to->y;
  const int inside = row >= 0 && row < to->height;
  mcuc_between rows = {0, 0, 0};
  const uint8_t *upper = frame->pixels;
  const uint8_t *lower = frame->pixels;
  int32_t x, c;
  if (from->width <= 0) {
    return;
  }
  if (inside) {
    rows = mcuc_image_between(image->resize, row, from->height, to->height);
    upper = mcuc_frame_line(frame, from->y + rows.first);
    lower = mcuc_frame_line(frame, from->y + rows.second);
  }
  for (x = 0; x < image->columns; ++x) {
    uint8_t *const pixel =
        (uint8_t *)out + (uint32_t)(x * image->pixel_step) * image->element_bytes;
    const int32_t column = x - to->x;
    uint8_t corner[4][3];
    mcuc_between columns;
    if (!inside || column < 0 || column >= to->width) {
      for (c = 0; c < channels; ++c) {
        mcuc_image_store(image, c, image->bar, pixel);
      }
      continue;
    }
    columns = mcuc_image_between(image->resize, column, from->width, to->width);
    mcuc_pixel(image->format, image->color, upper, from->x + columns.first, corner[0]);
    if (image->resize == MCUC_RESIZE_NEAREST) {
      for (c = 0; c < channels; ++c) {
        mcuc_image_store(image, c, corner[0][c], pixel);
      }
      continue;
    }
    mcuc_pixel(image->format, image->color, upper, from->x + columns.second, corner[1]);
    mcuc_pixel(image->format, image->color, lower, from->x + columns.first, corner[2]);
    mcuc_pixel(image->format, image->color, lower, from->x + columns.second, corner[3]);
    mcuc_image_mix(image, 0, corner, columns.fraction, rows.fraction, pixel);
    if (image->color != MCUC_COLOR_GRAY) { /* written out: the corners stay in registers */
      mcuc_image_mix(image, 1, corner, columns.fraction, rows.fraction, pixel);
      mcuc_image_mix(image, 2, corner, columns.fraction, rows.fraction, pixel);
    }
  }
}

#endif
