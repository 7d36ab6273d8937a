/*
 * Feeds vectors to mcuc/requant.h. Standard input: records of four int64 (function, a, b, c);
 * standard output: one int64 each. The function numbers are those of test_c_twin.py.
 */
#include <stdio.h>

#include "mcuc/requant.h"

static int64_t call(int64_t function, int64_t a, int64_t b, int64_t c)
{
  const int32_t x = (int32_t)a;
  const int32_t y = (int32_t)b;
  const int32_t z = (int32_t)c;
  int32_t bits = 0;
  switch (function) {
    case 0:
      return mcuc_saturating_left_shift(x, y);
    case 1:
      return mcuc_saturating_rounding_doubling_high_mul(x, y);
    case 2:
      return mcuc_rounding_divide_by_pot(x, y);
    case 3:
      return mcuc_multiply_and_shift_right(x, y, z);
    case 4:
      return mcuc_multiply_by_quantized_multiplier(x, y, z);
    case 5:
      return mcuc_multiply_by_quantized_multiplier_single(x, y, z);
    case 6:
      return mcuc_count_leading_zeros((uint32_t)a);
    case 7:
      return mcuc_multiply_by_double(x, (uint64_t)b, z);
    case 8:
      return mcuc_multiply_long_by_double(a, (uint64_t)b, z);
    case 9:
      return mcuc_multiply_long_by_reduced(a, y, z);
    case 10:
      return mcuc_divide_rounding_half_away(x, y);
    case 11:
      return mcuc_divide_rounding_half_up(x, y);
    case 12:
      return mcuc_exp_on_interval_between_negative_one_quarter_and_0_excl(x);
    case 13:
      return mcuc_exp_on_negative_values(x);
    case 14:
      return mcuc_one_over_one_plus_x_for_x_in_0_1(x);
    default: {
      /* Both results in one number: the bits are in -32 .. 31. */
      const int32_t scale = mcuc_get_reciprocal((uint32_t)a, y, &bits);
      return (int64_t)scale * 64 + (bits + 32);
    }
  }
}

int main(void)
{
  int64_t record[4];
  while (fread(record, sizeof record, 1, stdin) == 1) {
    const int64_t result = call(record[0], record[1], record[2], record[3]);
    if (fwrite(&result, sizeof result, 1, stdout) != 1) {
      return 1;
    }
  }
  return 0;
}
