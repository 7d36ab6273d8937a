"""The rules of `mcuc.numerics.fixed` once more, in exact rationals and without its code.

Slow and literal on purpose: each function is the sentence of `docs/numerics.md`, on Python
integers and `fractions.Fraction`.
"""

from __future__ import annotations

import math
from fractions import Fraction

LOW, HIGH = -(2**31), 2**31 - 1


def saturate(x: int) -> int:
    return min(max(x, LOW), HIGH)


def half_up(x: Fraction) -> int:
    return math.floor(x + Fraction(1, 2))


def half_away(x: Fraction) -> int:
    return half_up(x) if x >= 0 else -half_up(-x)


def half_even(x: Fraction) -> int:
    return round(x)  # Fraction.__round__ rounds halves to even


def power(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def saturating_left_shift(x: int, amount: int) -> int:
    return saturate(x * 2**amount)


def saturating_rounding_doubling_high_mul(a: int, b: int) -> int:
    return saturate(half_up(Fraction(a * b, 2**31)))


def rounding_divide_by_pot(x: int, exponent: int) -> int:
    return half_away(x * power(-exponent))


def multiply_and_shift_right(x: int, multiplier: int, right: int) -> int:
    return multiply_by_quantized_multiplier(x, multiplier, -right)


def multiply_by_quantized_multiplier(x: int, multiplier: int, shift: int) -> int:
    shifted = saturating_left_shift(x, max(shift, 0))
    high = saturating_rounding_doubling_high_mul(shifted, multiplier)
    return rounding_divide_by_pot(high, max(-shift, 0))


def multiply_by_quantized_multiplier_single(x: int, multiplier: int, shift: int) -> int:
    if shift > 31:  # the product saturates before it is shifted to the left: the same result
        return saturate(x * multiplier * 2 ** (shift - 31))
    return saturate(half_up(x * multiplier * power(shift - 31)))


def count_leading_zeros(x: int) -> int:
    return 32 - len(bin(x)[2:].lstrip("0"))


def multiply_by_double(x: int, mantissa: int, right_shift: int) -> int:
    product = x * mantissa * power(-right_shift)
    if product == 0:
        return 0
    spacing = power((x * mantissa).bit_length() - 53 - right_shift)  # of doubles of that size
    return saturate(half_away(half_even(product / spacing) * spacing))


def divide_rounding_half_away(x: int, divisor: int) -> int:
    return half_away(Fraction(x, divisor))


def divide_rounding_half_up(x: int, divisor: int) -> int:
    return half_up(Fraction(x, divisor))
