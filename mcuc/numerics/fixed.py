"""Fixed-point primitives of the integer rule sets; the C twin is `mcuc/requant.h`.

`runtime_c/include/mcuc/requant.h` has the same functions (prefixed `mcuc_`) in the same order and
gives the same bits for every argument. The rules stand in `docs/numerics.md`; they are those of
TFLite (`kernels/internal/common.cc`) and gemmlowp (`fixedpoint/fixedpoint.h`).

Arguments are integer arrays or scalars that hold int32 values, broadcast against each other.
Results are int64 arrays that hold int32 values, so that a caller may add without wrapping.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

INT32_MIN = -(2**31)
INT32_MAX = 2**31 - 1

# exp(-2^k) in Q0.31 for k = -2 .. 4.
_EXP_OF_MINUS_POWER = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
_EXP_MINUS_ONE_EIGHTH = 1895147668  # Q0.31
_ONE_THIRD = 715827883  # Q0.31
_48_OVER_17 = 1515870810  # Q2.29
_MINUS_32_OVER_17 = -1010580540  # Q2.29


def saturate_to_int32(x: npt.ArrayLike) -> Ints:
    """Clamps int64 values to the range of int32."""
    return np.clip(_ints(x), INT32_MIN, INT32_MAX)


def saturating_left_shift(x: npt.ArrayLike, amount: npt.ArrayLike) -> Ints:
    """Returns x * 2^amount, saturated to int32; `amount` >= 0, any size."""
    # |x| <= 2^31 and a shift by 31 already saturates or is 0, so the product stays below 2^63.
    return saturate_to_int32(_ints(x) << np.minimum(_ints(amount), 31))


def saturating_rounding_doubling_high_mul(a: npt.ArrayLike, b: npt.ArrayLike) -> Ints:
    """floor(a * b / 2^31 + 1/2); the only overflow, INT32_MIN * INT32_MIN, gives INT32_MAX.

    gemmlowp writes this as a truncating division with a nudge that depends on the sign; the two
    are equal for every argument.
    """
    high: Ints = np.minimum((_ints(a) * _ints(b) + (1 << 30)) >> 31, INT32_MAX)
    return high


def rounding_divide_by_pot(x: npt.ArrayLike, exponent: npt.ArrayLike) -> Ints:
    """Returns x / 2^exponent, rounded half away from zero; `exponent` >= 0, any size."""
    value = _ints(x)
    amount = np.minimum(_ints(exponent), 33)  # from 33 on the quotient is below one half
    mask = (np.int64(1) << amount) - 1
    threshold = (mask >> 1) + (value < 0)
    result: Ints = (value >> amount) + ((value & mask) > threshold)
    return result


def multiply_and_shift_right(
    x: npt.ArrayLike, multiplier: npt.ArrayLike, right: npt.ArrayLike
) -> Ints:
    """Returns x * multiplier * 2^(-right - 31) with TFLite's double rounding, in a few operations.

    `right` in 1 .. 31 and |multiplier| < 2^31. Rounding half away from zero is rounding half up
    of a number that is one less if it is negative.
    """
    high = (_ints(x) * _ints(multiplier) + (1 << 30)) >> 31
    lowered = high + (high >> 31)
    result: Ints = (lowered >> _ints(right)) + ((lowered >> (_ints(right) - 1)) & 1)
    return result


def multiply_by_quantized_multiplier(
    x: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike
) -> Ints:
    """Returns x * multiplier * 2^(shift - 31) with TFLite's double rounding.

    A positive `shift` first shifts x to the left and saturates it to int32; a negative one divides
    after the multiplication. Any `shift` is allowed: below -31 the result is 0 (multiplier >= 0).
    """
    amount = _ints(shift)
    shifted = saturating_left_shift(x, np.maximum(amount, 0))
    high = saturating_rounding_doubling_high_mul(shifted, multiplier)
    return rounding_divide_by_pot(high, np.maximum(-amount, 0))


def multiply_by_quantized_multiplier_single(
    x: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike
) -> Ints:
    """Returns x * multiplier * 2^(shift - 31), rounded once, half up, and saturated to int32.

    `multiplier` >= 0. Any `shift` is allowed: below -31 the result is 0.
    """
    product = _ints(x) * _ints(multiplier)
    right = 31 - _ints(shift)
    usable = np.clip(right, 1, 62)
    rounded = (product + (np.int64(1) << (usable - 1))) >> usable
    shifted = saturating_left_shift(saturate_to_int32(product), np.maximum(-right, 0))
    result = np.where(right > 62, 0, np.where(right < 1, shifted, rounded))
    return saturate_to_int32(result)


def count_leading_zeros(x: npt.ArrayLike) -> Ints:
    """Leading zeros of x as a 32-bit number, 0 <= x < 2^32; 32 for 0."""
    # An integer below 2^53 is exact as a double, whose exponent is the bit length.
    return 32 - np.frexp(_ints(x).astype(np.float64))[1].astype(np.int64)


def multiply_by_double(
    x: npt.ArrayLike, mantissa: npt.ArrayLike, right_shift: npt.ArrayLike
) -> Ints:
    """round(double(x) * scale), scale = mantissa * 2^-right_shift, saturated to int32.

    The product is rounded to double (to nearest even) and then to an integer, half away from
    zero: the `litert-2.3` rule of FULLY_CONNECTED. `mantissa` is 0 or in [2^52, 2^53). The C twin
    gets the same bits without floating point.
    """
    # Scaling by a power of two is exact, so the order keeps the single rounding of the product.
    rounded = _ints(x).astype(np.float64) * _ints(mantissa).astype(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        product = np.clip(np.ldexp(rounded, -_ints(right_shift)), INT32_MIN, INT32_MAX)
    whole = np.trunc(product)
    # Adding 0.5 would round once more; the remainder of a truncation is exact.
    rest = product - whole
    away = (rest >= 0.5).astype(np.int64) - (rest <= -0.5).astype(np.int64)
    return saturate_to_int32(whole.astype(np.int64) + away)


def multiply_long_by_double(
    x: npt.ArrayLike, mantissa: npt.ArrayLike, right_shift: npt.ArrayLike
) -> Ints:
    """As `multiply_by_double`, for sums of 64 bits: |x| < 2^53."""
    return multiply_by_double(x, mantissa, right_shift)


def multiply_long_by_reduced(
    x: npt.ArrayLike, multiplier: npt.ArrayLike, right: npt.ArrayLike
) -> Ints:
    """floor(x * multiplier / 2^right + 1/2), saturated to int32: sums of 64 bits.

    |x| < 2^47, |multiplier| < 2^15, `right` in 1 .. 61.
    """
    amount = _ints(right)
    product = _ints(x) * _ints(multiplier) + (np.int64(1) << (amount - 1))
    return saturate_to_int32(product >> amount)


def divide_rounding_half_away(x: npt.ArrayLike, divisor: npt.ArrayLike) -> Ints:
    """Returns x / divisor, halves away from zero; `divisor` > 0, |x| + divisor/2 < 2^31."""
    value, count = _ints(x), _ints(divisor)
    magnitude = (np.abs(value) + (count >> 1)) // count
    result: Ints = np.where(value < 0, -magnitude, magnitude)
    return result


def divide_rounding_half_up(x: npt.ArrayLike, divisor: npt.ArrayLike) -> Ints:
    """floor(x / divisor + 1/2) for `divisor` > 0 and |x| + divisor < 2^31: uint8 average pools.

    Independent of a shift of all elements by a constant, unlike rounding away from zero.
    """
    value, count = _ints(x), _ints(divisor)
    quotient: Ints = (value + (count >> 1)) // count
    return quotient


def exp_on_interval_between_negative_one_quarter_and_0_excl(a: npt.ArrayLike) -> Ints:
    """exp(a) for a in [-1/4, 0), both Q0.31: a Taylor polynomial of degree 4 around -1/8."""
    x = _ints(a) + (1 << 28)
    x2 = saturating_rounding_doubling_high_mul(x, x)
    x3 = saturating_rounding_doubling_high_mul(x2, x)
    x4 = saturating_rounding_doubling_high_mul(x2, x2)
    x4_over_4 = rounding_divide_by_pot(x4, 2)
    cubic = saturating_rounding_doubling_high_mul(x4_over_4 + x3, _ONE_THIRD) + x2
    polynomial = x + rounding_divide_by_pot(cubic, 1)
    return _EXP_MINUS_ONE_EIGHTH + saturating_rounding_doubling_high_mul(
        _EXP_MINUS_ONE_EIGHTH, polynomial
    )


def exp_on_negative_values(a: npt.ArrayLike) -> Ints:
    """exp(a) in Q0.31 for a <= 0 in Q5.26; exp(0) is INT32_MAX."""
    value = _ints(a)
    quarter = 1 << 24
    fraction = (value & (quarter - 1)) - quarter
    result = exp_on_interval_between_negative_one_quarter_and_0_excl(fraction << 5)
    remainder = fraction - value
    for i, factor in enumerate(_EXP_OF_MINUS_POWER):
        scaled = saturating_rounding_doubling_high_mul(result, factor)
        result = np.where(remainder & (quarter << i), scaled, result)
    return np.where(value == 0, INT32_MAX, result)


def one_over_one_plus_x_for_x_in_0_1(a: npt.ArrayLike) -> Ints:
    """1 / (1 + a) in Q0.31 for a in [0, 1) in Q0.31: three Newton-Raphson steps."""
    half_denominator = (_ints(a) + INT32_MAX + 1) >> 1  # the sum is never negative
    x = _48_OVER_17 + saturating_rounding_doubling_high_mul(half_denominator, _MINUS_32_OVER_17)
    for _ in range(3):
        error = (1 << 29) - saturating_rounding_doubling_high_mul(half_denominator, x)
        x = x + saturating_left_shift(saturating_rounding_doubling_high_mul(x, error), 2)
    return saturating_left_shift(x, 1)


def get_reciprocal(x: npt.ArrayLike, integer_bits: int) -> tuple[Ints, Ints]:
    """Reciprocal of x in Q(integer_bits).(31 - integer_bits), 0 < x < 2^32.

    Returns (scale, bits): 1/x = scale * 2^-31 * 2^-bits, scale in Q0.31. `bits` may be negative.
    """
    value = _ints(x)
    headroom = count_leading_zeros(value)
    minus_one = (value << headroom) - (1 << 31)
    return one_over_one_plus_x_for_x_in_0_1(minus_one), integer_bits - headroom


def _ints(x: npt.ArrayLike) -> Ints:
    return np.asarray(x, dtype=np.int64)
