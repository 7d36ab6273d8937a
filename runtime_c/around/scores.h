/* Numbers that a model put out, of any element type, and what they mean. */
#ifndef MCUC_SCORES_H
#define MCUC_SCORES_H

#include <stdint.h>
#include <string.h>

enum { MCUC_S8, MCUC_U8, MCUC_S16, MCUC_F32 };

/* real value = scale * (number - zero_point) */
typedef struct mcuc_scale {
  float scale;
  int32_t zero_point;
  int type;
} mcuc_scale;

/* Number i as it lies there: exact in float32, and ordered like the real values. */
static inline float mcuc_number(int type, const void *data, int32_t i)
{
  float number;
  int16_t wide;
  switch (type) {
    case MCUC_S8:
      return (float)((const int8_t *)data)[i];
    case MCUC_U8:
      return (float)((const uint8_t *)data)[i];
    case MCUC_S16:
      memcpy(&wide, (const uint8_t *)data + 2 * (uint32_t)i, sizeof wide);
      return (float)wide;
    default:
      memcpy(&number, (const uint8_t *)data + 4 * (uint32_t)i, sizeof number);
      return number;
  }
}

static inline float mcuc_real(const mcuc_scale *scale, float number)
{
  return scale->scale * (number - (float)scale->zero_point);
}

#endif
