/* Helium: the end of four accumulators at a time. */
#ifndef MCUC_MVE_END_H
#define MCUC_MVE_END_H

#include "mcuc/mve.h"

/* How four accumulators become elements: mcuc_mac_scale of four outputs, member by member, but
 * shifts are positive to the left (mcuc/ops/mve_tables.py). */
typedef struct mcuc_mve_scales {
  int32_t bias[4];
  int32_t multiplier[4]; /* m */
  int32_t constant[4];   /* what rounds, and the output's zero point, 2^right times as large */
  int32_t left[4];       /* -right */
} mcuc_mve_scales;

#define MCUC_MVE_SCALE_BYTES 64

/* What is the same for all outputs of a layer. */
typedef struct mcuc_mve_finish {
  int32_t low, high; /* clamping range */
  int32_t ties;      /* 1: negative halves are rounded away from 0, which the clamp does not hide */
} mcuc_mve_finish;

/* One output from its accumulator, which has its bias. */
static inline int8_t mcuc_mve_finish_one(int32_t acc, int32_t multiplier, int32_t constant,
                                         int32_t left, const mcuc_mve_finish *f)
{
  int32_t y = (int32_t)(((int64_t)acc * multiplier + ((int64_t)1 << 30)) >> 31);
  y += f->ties ? y >> 31 : 0;
  y = (y + constant) >> -left;
  return (int8_t)(y < f->low ? f->low : y > f->high ? f->high : y);
}

/* The same, rounded by VRSHL before the zero point is added. */
static inline int8_t mcuc_mve_round(int32_t acc, int32_t multiplier, int32_t left, int32_t zero,
                                    int32_t ties)
{
  int32_t y = (int32_t)(((int64_t)acc * multiplier + ((int64_t)1 << 30)) >> 31);
  y += ties ? y >> 31 : 0;
  y = (int32_t)(((int64_t)y + (((int64_t)1 << -left) >> 1)) >> -left) + zero;
  return (int8_t)(y < -128 ? -128 : y > 127 ? 127 : y);
}

#if MCUC_MVE

/* Four numbers as a vector. In halves: the order of VMOV's operands for two lanes of a vector
 * differs between gcc's vcreateq and its assembler (12.2). */
static inline int32x4_t mcuc_mve_four(int32_t a, int32_t b, int32_t c, int32_t d)
{
  int32x4_t v;
  __asm__(
      "vmov %e[v], %[a], %[b]\n\t"
      "vmov %f[v], %[c], %[d]\n\t"
      : [v] "=&w"(v)
      : [a] "r"(a), [b] "r"(b), [c] "r"(c), [d] "r"(d));
  return v;
}

/* Ends four accumulators of a pixel, without their biases, and stores the first n. */
static inline void mcuc_mve_store(const int32_t *acc, const mcuc_mve_scales *s,
                                  const mcuc_mve_finish *f, int8_t *y, int32_t n)
{
  int32x4_t v = vaddq_s32(mcuc_mve_four(acc[0], acc[1], acc[2], acc[3]), vldrwq_s32(s->bias));
  v = vqrdmulhq_s32(v, vldrwq_s32(s->multiplier));
  if (f->ties) {
    v = vaddq_s32(v, vshrq_n_s32(v, 31));
  }
  v = vaddq_s32(v, vldrwq_s32(s->constant));
  v = vshlq_s32(v, vldrwq_s32(s->left));
  v = vminq_s32(vmaxq_s32(v, vdupq_n_s32(f->low)), vdupq_n_s32(f->high));
  if (n >= 4) {
    vstrbq_s32(y, v);
  } else {
    vstrbq_p_s32(y, v, vctp32q((uint32_t)n));
  }
}

#else

static inline void mcuc_mve_store(const int32_t *acc, const mcuc_mve_scales *s,
                                  const mcuc_mve_finish *f, int8_t *y, int32_t n)
{
  int32_t i;
  for (i = 0; i < n && i < 4; ++i) {
    y[i] =
        mcuc_mve_finish_one(acc[i] + s->bias[i], s->multiplier[i], s->constant[i], s->left[i], f);
  }
}

#endif

#endif
