/* One pixel of a frame as 8-bit channels.
 *
 * The arithmetic is all integer; the twin in numpy is tests/around/image_twin.py.
 */
#ifndef MCUC_PIXEL_H
#define MCUC_PIXEL_H

#include <stdint.h>

/* What is constant for a model (format, colour) is decided by the compiler, not for every pixel. */
#if defined(__GNUC__)
#define MCUC_PIXEL_INLINE static inline __attribute__((always_inline))
#else
#define MCUC_PIXEL_INLINE static inline
#endif

enum {
  MCUC_GRAY8,
  MCUC_RGB888,
  MCUC_BGR888,
  MCUC_RGB565_LE, /* 16 bits, red in the upper five; the lower byte first */
  MCUC_RGB565_BE, /* the upper byte first, as camera modules send it */
  MCUC_YUYV       /* two pixels as Y0 U Y1 V: BT.601, full range */
};

enum { MCUC_COLOR_GRAY, MCUC_COLOR_RGB, MCUC_COLOR_BGR };

static inline uint8_t mcuc_clamp_u8(int32_t value)
{
  return (uint8_t)(value < 0 ? 0 : (value > 255 ? 255 : value));
}

/* Pixel x of a line as {red, green, blue}. 5 and 6 bits are widened by repeating the upper ones, so
 * that the largest value becomes 255. */
MCUC_PIXEL_INLINE void mcuc_pixel_rgb(int format, const uint8_t *line, int32_t x, uint8_t *rgb)
{
  if (format == MCUC_RGB888 || format == MCUC_BGR888) {
    const uint8_t *const p = line + 3 * x;
    rgb[0] = format == MCUC_RGB888 ? p[0] : p[2];
    rgb[1] = p[1];
    rgb[2] = format == MCUC_RGB888 ? p[2] : p[0];
  } else if (format == MCUC_RGB565_LE || format == MCUC_RGB565_BE) {
    const uint8_t *const p = line + 2 * x;
    const uint32_t high = format == MCUC_RGB565_LE ? p[1] : p[0];
    const uint32_t low = format == MCUC_RGB565_LE ? p[0] : p[1];
    const uint32_t green = ((high & 7u) << 3) | (low >> 5);
    rgb[0] = (uint8_t)((high & 0xF8u) | (high >> 5));
    rgb[1] = (uint8_t)((green << 2) | (green >> 4));
    rgb[2] = (uint8_t)(((low & 31u) << 3) | ((low & 31u) >> 2));
  } else if (format == MCUC_YUYV) {
    const uint8_t *const p = line + 4 * (x >> 1);
    const int32_t y = 65536 * p[2 * (x & 1)] + 32768;
    const int32_t u = p[1] - 128;
    const int32_t v = p[3] - 128;
    /* 1.402, 0.344136, 0.714136 and 1.772 times 65536 */
    rgb[0] = mcuc_clamp_u8((y + 91881 * v) >> 16);
    rgb[1] = mcuc_clamp_u8((y - 22554 * u - 46802 * v) >> 16);
    rgb[2] = mcuc_clamp_u8((y + 116130 * u) >> 16);
  } else {
    rgb[0] = line[x];
    rgb[1] = line[x];
    rgb[2] = line[x];
  }
}

/* Pixel x of a line in the colours of the model: one channel or three. Gray is 0.299 red + 0.587
 * green + 0.114 blue (BT.601) with 16 bits, rounded. */
MCUC_PIXEL_INLINE void mcuc_pixel(int format, int color, const uint8_t *line, int32_t x,
                                  uint8_t *out)
{
  uint8_t rgb[3];
  if (color == MCUC_COLOR_GRAY && format == MCUC_GRAY8) {
    out[0] = line[x];
    return;
  }
  if (color == MCUC_COLOR_GRAY && format == MCUC_YUYV) {
    out[0] = line[2 * x];
    return;
  }
  mcuc_pixel_rgb(format, line, x, rgb);
  if (color == MCUC_COLOR_GRAY) {
    out[0] = (uint8_t)((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 32768u) >> 16);
    return;
  }
  out[0] = color == MCUC_COLOR_RGB ? rgb[0] : rgb[2];
  out[1] = rgb[1];
  out[2] = color == MCUC_COLOR_RGB ? rgb[2] : rgb[0];
}

#endif
