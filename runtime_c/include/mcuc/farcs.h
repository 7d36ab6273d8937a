/* Tangent, hyperbolic functions and inverse functions of float32, with the same bits on every
 * machine (see mcuc/fmath.h). The numpy twin is mcuc/numerics/float_arcs.py.
 *
 * The polynomials are those of S. Moshier's Cephes library, single precision. All are off by less
 * than 1e-6 of the larger of the result and 1, the tangent where it is below 100.
 */
#ifndef MCUC_FARCS_H
#define MCUC_FARCS_H

#include "mcuc/ffunctions.h"
#include "mcuc/froots.h"

static inline float mcuc_tanf(float x)
{
  return mcuc_sine_f32(x, 0) / mcuc_sine_f32(x, 1);
}

static inline float mcuc_atanf(float x)
{
  const float size = x < 0.0f ? -x : x;
  float rest = size;
  float start = 0.0f;
  float z, y;
  if (size > 2.41421356f) {
    start = 1.57079633f;
    rest = -(1.0f / size);
  } else if (size > 0.414213562f) {
    start = 0.785398163f;
    rest = (size - 1.0f) / (size + 1.0f);
  }
  z = rest * rest;
  y = 8.05374449538e-2f;
  y = y * z - 1.38776856032e-1f;
  y = y * z + 1.99777106478e-1f;
  y = y * z - 3.33329491539e-1f;
  y = start + (y * z * rest + rest);
  return x < 0.0f ? -y : y;
}

/* NaN beyond 1. */
static inline float mcuc_asinf(float x)
{
  const float size = x < 0.0f ? -x : x;
  const int far = size > 0.5f;
  float root = size;
  float z = size * size;
  float y;
  if (far) {
    z = 0.5f * (1.0f - size);
    root = mcuc_sqrtf(z);
  }
  y = 4.2163199048e-2f;
  y = y * z + 2.4181311049e-2f;
  y = y * z + 4.5470025998e-2f;
  y = y * z + 7.4953002686e-2f;
  y = y * z + 1.6666752422e-1f;
  y = y * z * root + root;
  if (far) {
    y = 1.57079633f - (y + y);
  }
  return x < 0.0f ? -y : y;
}

static inline float mcuc_sinhf(float x)
{
  const float size = x < 0.0f ? -x : x;
  float e, y;
  if (size > 1.0f) {
    e = mcuc_expf(size);
    y = 0.5f * e - 0.5f / e;
    return x < 0.0f ? -y : y;
  }
  e = x * x;
  y = 2.03721912945e-4f;
  y = y * e + 8.33028376239e-3f;
  y = y * e + 1.66667160211e-1f;
  return y * e * x + x;
}

static inline float mcuc_coshf(float x)
{
  const float e = mcuc_expf(x < 0.0f ? -x : x);
  return 0.5f * e + 0.5f / e;
}

static inline float mcuc_asinhf(float x)
{
  const float size = x < 0.0f ? -x : x;
  const float z = size * size;
  float y;
  if (size < 0.5f) {
    y = 2.0122003309e-2f;
    y = y * z - 4.2699340972e-2f;
    y = y * z + 7.4847586088e-2f;
    y = y * z - 1.6666288134e-1f;
    y = y * z * size + size;
  } else {
    y = mcuc_logf(size + mcuc_sqrtf(z + 1.0f));
  }
  return x < 0.0f ? -y : y;
}

/* NaN below 1. */
static inline float mcuc_acoshf(float x)
{
  const float z = x - 1.0f;
  float y;
  if (!(z < 0.5f)) {
    return mcuc_logf(x + mcuc_sqrtf(z * (x + 1.0f)));
  }
  y = 1.7596881071e-3f;
  y = y * z - 7.5272886713e-3f;
  y = y * z + 2.6454905019e-2f;
  y = y * z - 1.1784741703e-1f;
  y = y * z + 1.4142135263f;
  return y * mcuc_sqrtf(z);
}

/* NaN beyond 1. */
static inline float mcuc_atanhf(float x)
{
  const float size = x < 0.0f ? -x : x;
  const float z = x * x;
  float y;
  if (!(size < 0.5f)) {
    return 0.5f * mcuc_logf((1.0f + x) / (1.0f - x));
  }
  y = 1.81740078349e-1f;
  y = y * z + 8.24370301058e-2f;
  y = y * z + 1.46691431730e-1f;
  y = y * z + 1.99782164500e-1f;
  y = y * z + 3.33337300303e-1f;
  return y * z * x + x;
}

#endif
