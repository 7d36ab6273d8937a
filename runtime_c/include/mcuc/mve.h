/* Helium (MVE): whether there is any, and copies. Compilers and cores without it get plain C of the
 * same meaning; so for mve_end.h and mve_block.h.
 */
#ifndef MCUC_MVE_H
#define MCUC_MVE_H

#include "mcuc/mac.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1) && defined(__GNUC__) && \
    !defined(__clang__) && defined(__OPTIMIZE__)
#define MCUC_MVE 1
#include <arm_mve.h>
#else
#define MCUC_MVE 0
#endif

#define MCUC_MVE_BYTES 16

#if MCUC_MVE

/* Copies n bytes from each of count places, which lie `offset` bytes behind from[i], one after
 * another; the last vector of a copy overlaps the one before it. */
static inline void mcuc_mve_copy_rows(int8_t *to, const void *const *from, int32_t count,
                                      int32_t offset, int32_t n)
{
  const int32_t whole = (n - 1) / MCUC_MVE_BYTES;
  const int32_t rest = n - (whole + 1) * MCUC_MVE_BYTES; /* 0, or negative */
  if (n < MCUC_MVE_BYTES) {
    const mve_pred16_t some = vctp8q((uint32_t)n);
    for (; count > 0; --count) {
      vstrbq_p_s8(to, vldrbq_z_s8((const int8_t *)*from++ + offset, some), some);
      to += n;
    }
    return;
  }
  for (; count > 0; --count) {
    const int8_t *x = (const int8_t *)*from++ + offset;
    int32_t k;
    for (k = whole; k > 0; --k) {
      vstrbq_s8(to, vldrbq_s8(x));
      x += MCUC_MVE_BYTES;
      to += MCUC_MVE_BYTES;
    }
    vstrbq_s8(to + rest, vldrbq_s8(x + rest));
    to += MCUC_MVE_BYTES + rest;
  }
}

#else

static inline void mcuc_mve_copy_rows(int8_t *to, const void *const *from, int32_t count,
                                      int32_t offset, int32_t n)
{
  for (; count > 0; --count) {
    mcuc_dsp_copy(to, (const int8_t *)*from++ + offset, n);
    to += n;
  }
}

#endif

/* Copies n bytes. */
static inline void mcuc_mve_copy(int8_t *to, const int8_t *from, int32_t n)
{
  const void *const place = from;
  if (n > 0) {
    mcuc_mve_copy_rows(to, &place, 1, 0, n);
  }
}

#endif
