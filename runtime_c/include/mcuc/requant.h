/*
 * Fixed-point primitives of the integer rule sets; the numpy twin is `mcuc/numerics/fixed.py`.
 *
 * Both have the same functions in the same order and give the same bits for every argument; the
 * rules stand in `docs/numerics.md`. No floating point, no library, no undefined behaviour for any
 * argument unless a comment states a range. A right shift of a negative number is arithmetic on
 * every supported compiler (checked below).
 */
#ifndef MCUC_REQUANT_H
#define MCUC_REQUANT_H

#include <stdint.h>

_Static_assert((-3 >> 1) == -2, "right shifts of negative numbers must be arithmetic");

/* Clamps to the range of int32. */
static inline int32_t mcuc_saturate_to_int32(int64_t x)
{
  if (x > INT32_MAX) {
    return INT32_MAX;
  }
  return x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

/* x * 2^amount, saturated; amount >= 0, any size. */
static inline int32_t mcuc_saturating_left_shift(int32_t x, int32_t amount)
{
  return mcuc_saturate_to_int32((int64_t)x * ((int64_t)1 << (amount < 31 ? amount : 31)));
}

/* floor(a * b / 2^31 + 1/2); INT32_MIN * INT32_MIN gives INT32_MAX. */
static inline int32_t mcuc_saturating_rounding_doubling_high_mul(int32_t a, int32_t b)
{
  if (a == INT32_MIN && b == INT32_MIN) {
    return INT32_MAX;
  }
  return (int32_t)(((int64_t)a * b + ((int64_t)1 << 30)) >> 31);
}

/* x / 2^exponent, rounded half away from zero; exponent >= 0, any size. */
static inline int32_t mcuc_rounding_divide_by_pot(int32_t x, int32_t exponent)
{
  if (exponent > 31) {
    return (exponent == 32 && x == INT32_MIN) ? -1 : 0;
  }
  const uint32_t mask = ((uint32_t)1 << exponent) - 1U;
  const uint32_t threshold = (mask >> 1) + (x < 0 ? 1U : 0U);
  return (x >> exponent) + (((uint32_t)x & mask) > threshold ? 1 : 0);
}

/*
 * x * multiplier * 2^(-right - 31), TFLite's double rounding, for what nearly all layers need:
 * right in 1 .. 31 and |multiplier| < 2^31. The first rounding is half up and cannot saturate; the
 * second is half away from zero: half up of a number that is one less if it is negative.
 */
static inline int32_t mcuc_multiply_and_shift_right(int32_t x, int32_t multiplier, int32_t right)
{
  const int64_t product = (int64_t)x * multiplier + ((int64_t)1 << 30);
  const int32_t high = (int32_t)(product >> 31);
  const int32_t lowered = high + (high >> 31);
  return (lowered >> right) + ((lowered >> (right - 1)) & 1);
}

/*
 * x * multiplier * 2^(shift - 31), TFLite's double rounding. A positive shift first shifts x to
 * the left and saturates; a negative one divides after the multiplication. Any shift: below -31
 * the result is 0. |multiplier| < 2^31.
 */
static inline int32_t mcuc_multiply_by_quantized_multiplier(int32_t x, int32_t multiplier,
                                                            int32_t shift)
{
  if (shift < 0 && shift >= -31) {
    return mcuc_multiply_and_shift_right(x, multiplier, -shift);
  }
  if (shift >= 0) {
    return mcuc_saturating_rounding_doubling_high_mul(mcuc_saturating_left_shift(x, shift),
                                                      multiplier);
  }
  return 0; /* |x * multiplier * 2^-31| < 2^31, divided by 2^32 or more */
}

/* x * multiplier * 2^(shift - 31), rounded once, half up, saturated. multiplier >= 0. Any shift. */
static inline int32_t mcuc_multiply_by_quantized_multiplier_single(int32_t x, int32_t multiplier,
                                                                   int32_t shift)
{
  const int64_t product = (int64_t)x * multiplier;
  if (shift < -31) {
    return 0;
  }
  if (shift > 30) {
    return mcuc_saturating_left_shift(mcuc_saturate_to_int32(product), shift - 31);
  }
  return mcuc_saturate_to_int32((product + ((int64_t)1 << (30 - shift))) >> (31 - shift));
}

/* Number of leading zeros; 32 for 0. */
static inline int32_t mcuc_count_leading_zeros(uint32_t x)
{
#if defined(__GNUC__)
  return x == 0U ? 32 : __builtin_clz(x);
#else
  int32_t zeros = 0;
  for (uint32_t bit = (uint32_t)1 << 31; bit != 0U && (x & bit) == 0U; bit >>= 1) {
    zeros++;
  }
  return zeros;
#endif
}

/*
 * round(double(x) * scale), scale = mantissa * 2^-right_shift, saturated: the product rounded to
 * double (to nearest even), then to an integer, half away from zero. mantissa is 0 or in
 * [2^52, 2^53); right_shift > -2^30.
 */
static inline int32_t mcuc_multiply_by_double(int32_t x, uint64_t mantissa, int32_t right_shift)
{
  if (x == 0 || mantissa == 0U) {
    return 0;
  }
  const uint32_t magnitude = x < 0 ? 0U - (uint32_t)x : (uint32_t)x;
  const uint64_t low = (uint64_t)magnitude * (uint32_t)mantissa;
  const uint64_t high = (uint64_t)magnitude * (mantissa >> 32) + (low >> 32);
  /* The product has 96 bits, high:low32. Keep 53 significant ones: drop `cut` <= 32. */
  int32_t cut = 32 - mcuc_count_leading_zeros(magnitude);
  if ((high >> (20 + cut)) == 0U) {
    cut--;
  }
  uint64_t kept = (high << (32 - cut)) | ((low & UINT32_MAX) >> cut);
  if (cut > 0) {
    /*
     * Half up instead of half to even makes no difference here: k + 1/2 with |k| < 2^31 is
     * an even multiple of its spacing, so a tie just below it goes up either way.
     */
    kept += (low >> (cut - 1)) & 1U;
  }
  /* x * scale, as a double, is kept * 2^-drop. */
  const int32_t drop = right_shift - cut;
  uint64_t rounded = 0U;
  if (drop <= 20) {
    rounded = (uint64_t)1 << 32; /* kept >= 2^52: beyond int32 */
  } else if (drop < 63) {
    rounded = (kept + ((uint64_t)1 << (drop - 1))) >> drop;
  }
  const int64_t result = rounded > (uint64_t)1 << 32 ? (int64_t)1 << 32 : (int64_t)rounded;
  return mcuc_saturate_to_int32(x < 0 ? -result : result);
}

/*
 * As mcuc_multiply_by_double for a sum of 64 bits: |x| < 2^53, so that it is a double as it is. For
 * results whose ends are of no interest from 2^31 on.
 */
static inline int32_t mcuc_multiply_long_by_double(int64_t x, uint64_t mantissa,
                                                   int32_t right_shift)
{
  const uint64_t magnitude = x < 0 ? 0U - (uint64_t)x : (uint64_t)x;
  const uint64_t low = (magnitude & UINT32_MAX) * (mantissa & UINT32_MAX);
  const uint64_t first = (magnitude >> 32) * (mantissa & UINT32_MAX) + (low >> 32);
  const uint64_t second = (magnitude & UINT32_MAX) * (mantissa >> 32) + (first & UINT32_MAX);
  /* The product is high:below, 128 bits. */
  const uint64_t high = (magnitude >> 32) * (mantissa >> 32) + (first >> 32) + (second >> 32);
  const uint64_t below = (second << 32) | (low & UINT32_MAX);
  const uint32_t upper = (uint32_t)(magnitude >> 32);
  /* Of its bits, so that 53 stay: as many as x has, or one less. */
  int32_t cut = upper != 0U ? 64 - mcuc_count_leading_zeros(upper)
                            : 32 - mcuc_count_leading_zeros((uint32_t)magnitude);
  uint64_t kept;
  int32_t drop;
  int64_t result;
  if (x == 0 || mantissa == 0U) {
    return 0;
  }
  kept = (high << (64 - cut)) | (below >> cut);
  if ((kept >> 52) == 0U) {
    cut--;
    kept = cut == 0 ? below : (high << (64 - cut)) | (below >> cut);
  }
  if (cut > 0) {
    kept += (below >> (cut - 1)) & 1U; /* half up does, see mcuc_multiply_by_double */
  }
  drop = right_shift - cut;
  if (drop <= 20) {
    result = (int64_t)1 << 32; /* kept >= 2^52: beyond int32 */
  } else if (drop < 63) {
    result = (int64_t)((kept + ((uint64_t)1 << (drop - 1))) >> drop);
  } else {
    result = 0;
  }
  return mcuc_saturate_to_int32(x < 0 ? -result : result);
}

/* floor(x * multiplier / 2^right + 1/2), saturated; |x| < 2^47, |multiplier| < 2^15, right in
 * 1 .. 61. */
static inline int32_t mcuc_multiply_long_by_reduced(int64_t x, int32_t multiplier, int32_t right)
{
  return mcuc_saturate_to_int32((x * multiplier + ((int64_t)1 << (right - 1))) >> right);
}

/* x / divisor, rounded half away from zero; divisor > 0 and |x| + divisor / 2 < 2^31. */
static inline int32_t mcuc_divide_rounding_half_away(int32_t x, int32_t divisor)
{
  const int32_t half = divisor >> 1;
  return (x < 0 ? x - half : x + half) / divisor;
}

/* floor(x / divisor + 1/2); divisor > 0 and |x| + divisor < 2^31. */
static inline int32_t mcuc_divide_rounding_half_up(int32_t x, int32_t divisor)
{
  const int32_t moved = x + (divisor >> 1);
  const int32_t quotient = moved / divisor;
  return quotient - (moved % divisor < 0 ? 1 : 0);
}

/* exp(a) for a in [-1/4, 0), both Q0.31: a Taylor polynomial of degree 4 around -1/8. */
static inline int32_t mcuc_exp_on_interval_between_negative_one_quarter_and_0_excl(int32_t a)
{
  const int32_t exp_minus_one_eighth = 1895147668;
  const int32_t one_third = 715827883;
  const int32_t x = a + ((int32_t)1 << 28);
  const int32_t x2 = mcuc_saturating_rounding_doubling_high_mul(x, x);
  const int32_t x3 = mcuc_saturating_rounding_doubling_high_mul(x2, x);
  const int32_t x4 = mcuc_saturating_rounding_doubling_high_mul(x2, x2);
  const int32_t x4_over_4 = mcuc_rounding_divide_by_pot(x4, 2);
  const int32_t cubic = mcuc_saturating_rounding_doubling_high_mul(x4_over_4 + x3, one_third) + x2;
  const int32_t polynomial = x + mcuc_rounding_divide_by_pot(cubic, 1);
  return exp_minus_one_eighth +
         mcuc_saturating_rounding_doubling_high_mul(exp_minus_one_eighth, polynomial);
}

/* exp(a) in Q0.31 for a <= 0 in Q5.26; exp(0) is INT32_MAX. */
static inline int32_t mcuc_exp_on_negative_values(int32_t a)
{
  /* exp(-2^k) in Q0.31 for k = -2 .. 4 */
  static const int32_t factors[7] = {1672461947, 1302514674, 790015084, 290630308,
                                     39332535,   720401,     242};
  const int32_t quarter = (int32_t)1 << 24;
  if (a == 0) {
    return INT32_MAX;
  }
  const int32_t fraction = (a & (quarter - 1)) - quarter;
  int32_t result = mcuc_exp_on_interval_between_negative_one_quarter_and_0_excl(fraction * 32);
  const uint32_t remainder = (uint32_t)fraction - (uint32_t)a;
  for (uint32_t i = 0; i < 7U; i++) {
    if ((remainder & ((uint32_t)quarter << i)) != 0U) {
      result = mcuc_saturating_rounding_doubling_high_mul(result, factors[i]);
    }
  }
  return result;
}

/* 1 / (1 + a) in Q0.31 for a in [0, 1) in Q0.31: three Newton-Raphson steps. */
static inline int32_t mcuc_one_over_one_plus_x_for_x_in_0_1(int32_t a)
{
  const int32_t half_denominator = (int32_t)(((int64_t)a + INT32_MAX + 1) >> 1);
  int32_t x = 1515870810 /* 48/17 in Q2.29 */ +
              mcuc_saturating_rounding_doubling_high_mul(half_denominator, -1010580540);
  for (int i = 0; i < 3; i++) {
    const int32_t error =
        ((int32_t)1 << 29) - mcuc_saturating_rounding_doubling_high_mul(half_denominator, x);
    x += mcuc_saturating_left_shift(mcuc_saturating_rounding_doubling_high_mul(x, error), 2);
  }
  return mcuc_saturating_left_shift(x, 1);
}

/*
 * Reciprocal of x in Q(integer_bits).(31 - integer_bits), x > 0 unsigned: 1/x = scale * 2^-31 *
 * 2^-bits with the returned scale in Q0.31. *bits may be negative.
 */
static inline int32_t mcuc_get_reciprocal(uint32_t x, int32_t integer_bits, int32_t *bits)
{
  const int32_t headroom = mcuc_count_leading_zeros(x);
  const uint32_t minus_one = (x << headroom) - ((uint32_t)1 << 31);
  *bits = integer_bits - headroom;
  return mcuc_one_over_one_plus_x_for_x_in_0_1((int32_t)minus_one);
}

#endif /* MCUC_REQUANT_H */
