/* Logarithm, hyperbolic tangent, sine, cosine and error function of float32, with the same bits on
 * every machine (see mcuc/fmath.h). The numpy twin is mcuc/numerics/float_functions.py.
 *
 * The polynomials of log, tanh, sin and cos are those of S. Moshier's Cephes library, single
 * precision; that of erf is 7.1.26 of Abramowitz and Stegun.
 */
#ifndef MCUC_FFUNCTIONS_H
#define MCUC_FFUNCTIONS_H

#include "mcuc/fmath.h"

/* Off by less than 2 units in the last place; -infinity at 0, NaN below. */
static inline float mcuc_logf(float x)
{
  float e = 0.0f;
  float z, y;
  uint32_t bits;
  if (!(x > 0.0f)) {
    return x == 0.0f ? -1.0f / (x * x) : (x - x) / (x - x);
  }
  if (x > 3.4028234e38f) {
    return x;
  }
  if (x < 1.17549435e-38f) { /* subnormal */
    x *= 16777216.0f;
    e = -24.0f;
  }
  memcpy(&bits, &x, sizeof bits);
  e += (float)((int32_t)(bits >> 23) - 126);
  bits = (bits & 0x7FFFFFu) | 0x3F000000u;
  memcpy(&x, &bits, sizeof x); /* 0.5 <= x < 1 */
  if (x < 0.70710678f) {
    e -= 1.0f;
    x = x + x;
  }
  x = x - 1.0f;
  z = x * x;
  y = 7.0376836292e-2f;
  y = y * x - 1.1514610310e-1f;
  y = y * x + 1.1676998740e-1f;
  y = y * x - 1.2420140846e-1f;
  y = y * x + 1.4249322787e-1f;
  y = y * x - 1.6668057665e-1f;
  y = y * x + 2.0000714765e-1f;
  y = y * x - 2.4999993993e-1f;
  y = y * x + 3.3333331174e-1f;
  y = y * x * z;
  y = y + e * -2.12194440e-4f;
  y = y - 0.5f * z;
  return (x + y) + e * 0.693359375f;
}

static inline float mcuc_tanhf(float x)
{
  const float size = x < 0.0f ? -x : x;
  float z, y;
  if (size >= 0.625f) {
    y = 1.0f - 2.0f / (mcuc_expf(size + size) + 1.0f);
    return x < 0.0f ? -y : y;
  }
  z = x * x;
  y = -5.70498872745e-3f;
  y = y * z + 2.06390887954e-2f;
  y = y * z - 5.37397155531e-2f;
  y = y * z + 1.33314422036e-1f;
  y = y * z - 3.33332819422e-1f;
  return y * z * x + x;
}

/* sin(x + quarters * pi / 2), off by less than 1e-6 for |x| < 8192. */
static inline float mcuc_sine_f32(float x, int32_t quarters)
{
  const float round = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
  const float limit = x < -4e6f ? -4e6f : (x > 4e6f ? 4e6f : x);
  const float whole = (limit * 0.63661977f + round) - round;
  const int32_t n = ((whole == whole ? (int32_t)whole : 0) + quarters) & 3;
  /* pi / 2 in three parts, of which the first two have few bits */
  const float rest =
      ((x - whole * 1.5703125f) - whole * 4.837512969970703125e-4f) - whole * 7.54978995489188e-8f;
  const float z = rest * rest;
  float y;
  if (n & 1) {
    y = 2.443315711809948e-5f;
    y = y * z - 1.388731625493765e-3f;
    y = y * z + 4.166664568298827e-2f;
    y = y * z * z - 0.5f * z + 1.0f;
  } else {
    y = -1.9515295891e-4f;
    y = y * z + 8.3321608736e-3f;
    y = y * z - 1.6666654611e-1f;
    y = y * z * rest + rest;
  }
  return n & 2 ? -y : y;
}

/* Off by less than 6e-7. */
static inline float mcuc_erff(float x)
{
  const float size = x < 0.0f ? -x : x;
  const float t = 1.0f / (1.0f + 0.3275911f * size);
  float y = 1.061405429f;
  y = y * t - 1.453152027f;
  y = y * t + 1.421413741f;
  y = y * t - 0.284496736f;
  y = y * t + 0.254829592f;
  y = 1.0f - y * t * mcuc_expf(-(size * size));
  return x < 0.0f ? -y : y;
}

#endif
