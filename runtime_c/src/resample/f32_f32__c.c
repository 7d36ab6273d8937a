/* Weighted sums of rows and columns, float32, rows form:
 *
 *   y[n][c] = sum_t down[t] (sum_u across[n][u] x[row t][column u][c])
 *
 * src : rows of pixels of `channels` float32
 * dst : n pixels of `channels` float32; no scratch
 * Bit-exact to mcuc/ops/resample.py:ref.
 */
#include "mcuc/program.h"
#include "resample/resample.h"

/* The sum over the columns of a row, for one channel. */
static float mcuc_resample_across(const mcuc_resample_params *p, const uint8_t *row, int32_t step,
                                  int32_t column, int32_t channel)
{
  const int16_t *columns = p->columns + column * p->column_taps;
  const float *weights = p->across + column * p->column_taps;
  float sum = 0.0f;
  int32_t u;
  for (u = 0; u < p->column_taps; ++u) {
    sum += ((const float *)mcuc_at(row, columns[u] * step))[channel] * weights[u];
  }
  return sum;
}

MCUC_FN void mcuc_resample_f32_f32__c(const void *params, const void *call)
{
  const mcuc_resample_params *p = (const mcuc_resample_params *)params;
  const mcuc_rows_call *io = (const mcuc_rows_call *)call;
  const int16_t *rows = p->rows + io->y * p->row_taps;
  const float *down = p->down + io->y * p->row_taps;
  const int32_t step = io->in[0].view.pixel_stride;
  int32_t n, t, c;

  for (n = 0; n < io->n; ++n) {
    float *dst = (float *)mcuc_to(io->dst, n * io->dst_step);
    for (c = 0; c < p->channels; ++c) {
      dst[c] = 0.0f;
    }
    for (t = 0; t < p->row_taps; ++t) {
      const uint8_t *row = mcuc_source_row(io, 0, rows[t]);
      for (c = 0; c < p->channels; ++c) {
        dst[c] += mcuc_resample_across(p, row, step, io->x + n, c) * down[t];
      }
    }
  }
}
