/* FULLY_CONNECTED over the rows of a map: the record of its kernels, and what they share.
 *
 * The accumulators of a fold: one int32 for each unit, a multiple of 4 of them, then the number of
 * rows that were added.
 */
#ifndef MCUC_FULLY_CONNECTED_ROWS_H
#define MCUC_FULLY_CONNECTED_ROWS_H

#include "fully_connected/fully_connected.h"
#include "mcuc/program.h"

typedef struct mcuc_fully_connected_rows_params {
  const void *weights;  /* by row of the map, as the kernel reads them */
  const int32_t *lines; /* [units, a multiple of 4] mcuc_fully_connected_line */
  int32_t row_bytes;    /* of weights for one row of the map */
  int32_t depth;        /* elements of a row of the map */
  int32_t units;
  int32_t low, high; /* clamping range */
} mcuc_fully_connected_rows_params;

/* The accumulators at 0. */
static inline void mcuc_fully_connected_rows_init(const mcuc_fully_connected_rows_params *p,
                                                  int32_t *acc)
{
  const int32_t n = (p->units + 3) / 4 * 4 + 1;
  int32_t u;
  for (u = 0; u < n; ++u) {
    acc[u] = 0;
  }
}

/* The weights of the row that comes now; counts it. */
static inline const void *mcuc_fully_connected_rows_next(const mcuc_fully_connected_rows_params *p,
                                                         int32_t *acc)
{
  int32_t *const row = &acc[(p->units + 3) / 4 * 4];
  const int32_t offset = *row * p->row_bytes;
  *row += 1;
  return (const int8_t *)p->weights + offset;
}

/* The units, after all rows. */
static inline void mcuc_fully_connected_rows_finish(const mcuc_fully_connected_rows_params *p,
                                                    const int32_t *acc, int8_t *y)
{
  const mcuc_fully_connected_line *l = (const mcuc_fully_connected_line *)(const void *)p->lines;
  int32_t u;
  for (u = 0; u < p->units; ++u) {
    y[u] = mcuc_fully_connected_line_at(acc[u], &l[u]);
  }
  mcuc_dsp_clamp(y, p->units, p->low, p->high);
}

#endif
