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

/* Vector i of a copy. */
#define MCUC_MVE_COPY_VECTOR(i) \
  "vldrb.8 q0, [%[x], #16*" i   \
  "]\n\t"                       \
  "vstrb.8 q0, [%[to], #16*" i "]\n\t"

/* Copies of `whole` vectors and a part of vector `last`. It changes the predicate, which gcc has no
 * name for: nothing else here uses one. */
#define MCUC_MVE_COPY(whole, last)                                         \
  __asm__ volatile(                                                        \
      "vctp.8 %[rest]\n\t"                                                 \
      "dls lr, %[count]\n\t"                                               \
      "1:\n\t" whole                                                       \
      "vpstt\n\t"                                                          \
      "vldrbt.u8 q0, [%[x], #16*" last                                     \
      "]\n\t"                                                              \
      "vstrbt.8 q0, [%[to], #16*" last                                     \
      "]\n\t"                                                              \
      "add %[x], %[x_step]\n\t"                                            \
      "add %[to], %[to_step]\n\t"                                          \
      "le lr, 1b\n\t"                                                      \
      : [x] "+r"(x), [to] "+r"(to)                                         \
      : [x_step] "r"(x_step), [to_step] "r"(to_step),                      \
        [rest] "r"(n - MCUC_MVE_BYTES * whole_vectors), [count] "r"(count) \
      : "lr", "cc", "memory", "q0")

/* Copies n > 0 bytes count > 0 times; from time to time places are x_step and to_step bytes on. */
static inline void mcuc_mve_copies(int8_t *to, int32_t to_step, const int8_t *x, int32_t x_step,
                                   int32_t count, int32_t n)
{
  const int32_t whole_vectors = (n - 1) / MCUC_MVE_BYTES;
  if (whole_vectors == 0) {
    MCUC_MVE_COPY("", "0");
  } else if (whole_vectors == 1) {
    MCUC_MVE_COPY(MCUC_MVE_COPY_VECTOR("0"), "1");
  } else if (whole_vectors == 2) {
    MCUC_MVE_COPY(MCUC_MVE_COPY_VECTOR("0") MCUC_MVE_COPY_VECTOR("1"), "2");
  } else {
    const int32_t rest = n - MCUC_MVE_BYTES * whole_vectors;
    x_step -= MCUC_MVE_BYTES * whole_vectors;
    to_step -= MCUC_MVE_BYTES * whole_vectors;
    for (; count > 0; --count) {
      __asm__ volatile(
          "vctp.8 %[rest]\n\t"
          "dls lr, %[whole]\n\t"
          "1:\n\t"
          "vldrb.8 q0, [%[x]], #16\n\t"
          "vstrb.8 q0, [%[to]], #16\n\t"
          "le lr, 1b\n\t"
          "vpstt\n\t"
          "vldrbt.u8 q0, [%[x]]\n\t"
          "vstrbt.8 q0, [%[to]]\n\t"
          : [x] "+r"(x), [to] "+r"(to)
          : [rest] "r"(rest), [whole] "r"(whole_vectors)
          : "lr", "cc", "memory", "q0");
      x += x_step;
      to += to_step;
    }
  }
}

#else

static inline void mcuc_mve_copies(int8_t *to, int32_t to_step, const int8_t *x, int32_t x_step,
                                   int32_t count, int32_t n)
{
  for (; count > 0; --count) {
    mcuc_dsp_copy(to, x, n);
    x += x_step;
    to += to_step;
  }
}

#endif

/* Copies n bytes. */
static inline void mcuc_mve_copy(int8_t *to, const int8_t *from, int32_t n)
{
  if (n > 0) {
    mcuc_mve_copies(to, 0, from, 0, 1, n);
  }
}

#endif
