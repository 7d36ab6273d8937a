"""Directed arguments of the primitives: limits, ties, and values next to ties."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from mcuc.numerics.params import decompose_double

LOW, HIGH = -(2**31), 2**31 - 1

Vector = tuple[int, ...]

_SHIFTS = (-100, -33, -32, -31, -30, -17, -8, -2, -1, 0, 1, 2, 7, 15, 29, 30, 31, 32, 63, 100)
_MULTIPLIERS = (0, 1, 2**30, 2**30 + 1, 1518500250, HIGH - 1, HIGH, 3 * 2**29, 5 * 2**28)

_NEGATIVE = (-1, -(2**30), -1518500250, LOW + 1)


def _limits() -> list[int]:
    values = {0, LOW, LOW + 1, HIGH, HIGH - 1}
    for bit in range(0, 31, 3):
        for around in (-1, 0, 1):
            values |= {2**bit + around, -(2**bit) + around}
    return sorted(v for v in values if LOW <= v <= HIGH)


def _around_ties(exponent: int) -> Iterator[int]:
    """Values whose quotient by 2^exponent is k + 1/2 or next to it."""
    for k in (-5, -2, -1, 0, 1, 2, 4):
        tie = (2 * k + 1) << max(exponent - 1, 0)
        yield from (v for v in (tie - 1, tie, tie + 1) if LOW <= v <= HIGH)


def _double_rounding_ties(rng: random.Random) -> Iterator[Vector]:
    """(x, multiplier, right) next to where the first product, or the whole, is k + 1/2."""
    for right in range(1, 32):
        for _ in range(40):
            multiplier = rng.choice([2**30, 3 * 2**29, 2**31 - 2**24, rng.randrange(2**30, 2**31)])
            tie = (2 * rng.randrange(-200, 200) + 1) << (right - 1)  # of what is divided
            nearest = tie * 2**31 // multiplier
            for x in range(nearest - 2, nearest + 4):
                if LOW <= x <= HIGH:
                    yield (x, multiplier, right)
                    yield (x, -multiplier, right)


def _double_ties(rng: random.Random) -> Iterator[Vector]:
    """(x, mantissa, right shift) whose product is k + 1/2 within a few ulps."""
    for _ in range(1500):
        x = rng.choice([1, 3, 5, 7, rng.randrange(1, 2**12), rng.randrange(1, 2**31)])
        tie = rng.randrange(0, 200) + 0.5
        mantissa, shift = decompose_double(tie / x)
        for nudge in (-1, 0, 1):
            if 2**52 <= mantissa + nudge < 2**53:
                yield (x, mantissa + nudge, shift)
                yield (-x, mantissa + nudge, shift)


def _doubles() -> Iterator[Vector]:
    yield from _double_ties(random.Random(3))
    mantissas = (0, 2**52, 2**52 + 1, 2**53 - 1, 3 * 2**51, 0x15555555555555)
    shifts = (-5, 0, 20, 21, 22, 51, 52, 53, 54, 60, 83, 84, 85, 86, 93, 94, 95, 96, 120, 1000)
    yield from product(_limits(), mantissas, shifts)


def _long() -> list[int]:
    """Sums of up to 47 bits."""
    values = {0}
    for bit in range(0, 48, 3):
        for around in (-1, 0, 1):
            values |= {2**bit + around, -(2**bit) + around}
    return sorted(v for v in values if abs(v) < 2**47)


def _long_doubles(rng: random.Random) -> Iterator[Vector]:
    """(x, mantissa, right shift), x of up to 52 bits, with products near k + 1/2 and anywhere."""
    for _ in range(1500):
        x = rng.randrange(1, 2 ** rng.randrange(1, 53))
        mantissa, shift = decompose_double((rng.randrange(0, 40000) + 0.5) / x)
        for nudge in (-1, 0, 1):
            if 2**52 <= mantissa + nudge < 2**53:
                yield (x, mantissa + nudge, shift)
                yield (-x, mantissa + nudge, shift)
    for x in _long():
        for shift in (20, 40, 60, 80, 84, 85, 100, 120):
            yield (x, rng.randrange(2**52, 2**53), shift)


def _divisions() -> Iterator[Vector]:
    for divisor in (1, 2, 3, 4, 5, 6, 7, 9, 16, 49, 64, 255, 4096):
        for x in (*range(-40, 41), 127 * divisor, -128 * divisor, divisor // 2, -(divisor // 2)):
            yield (x, divisor)
            yield (x + divisor // 2, divisor)


def vectors(function: str) -> list[Vector]:
    """The directed argument tuples of a primitive, by its name."""
    limits = _limits()
    found: list[Vector]
    match function:
        case "saturating_left_shift":
            found = list(product(limits, (0, 1, 2, 5, 30, 31, 32, 64, 1000)))
        case "saturating_rounding_doubling_high_mul":
            found = list(product(limits, limits))
            found += [(x, m) for m in (2**30, -(2**30), 2**29) for x in range(-9, 10)]
        case "rounding_divide_by_pot":
            found = list(product(limits, (0, 1, 2, 7, 30, 31, 32, 33, 34, 64, 1000)))
            found += [(x, e) for e in range(32) for x in _around_ties(e)]
        case "multiply_by_quantized_multiplier" | "multiply_by_quantized_multiplier_single":
            found = list(product(limits, _MULTIPLIERS, _SHIFTS))
            found += [
                (x, m, -e) for e in range(32) for m in _MULTIPLIERS for x in _around_ties(e + 1)
            ]
        case "multiply_and_shift_right":
            found = list(product(limits, (*_MULTIPLIERS, *_NEGATIVE), range(1, 32)))
            found += list(_double_rounding_ties(random.Random(5)))
        case "multiply_by_double":
            found = list(_doubles())
        case "multiply_long_by_double":
            found = [*_doubles(), *_long_doubles(random.Random(4))]
        case "multiply_long_by_reduced":
            found = list(product(_long(), (0, 1, -1, 2**14, 2**15 - 1, -(2**14)), range(8, 47)))
        case "divide_rounding_half_away" | "divide_rounding_half_up":
            found = list(_divisions())
        case "count_leading_zeros":
            found = [(x,) for bit in range(32) for x in (2**bit, 2**bit - 1, 2**32 - 1 - 2**bit)]
        case "exp_on_interval_between_negative_one_quarter_and_0_excl":
            found = [(x,) for x in (*range(-(2**29), 0, 2**18 + 1), -1)]
        case "exp_on_negative_values":
            raw = [*range(LOW, 1, 2**20 + 3), *(-v for v in limits if v >= 0), LOW]
            found = [(x,) for x in raw]
        case "one_over_one_plus_x_for_x_in_0_1":
            found = [(x,) for x in (*range(0, HIGH, 2**19 + 1), HIGH)]
        case "get_reciprocal":
            sums = [v for v in limits if v > 0] + [2**31, 2**31 + 1, 3 * 2**30, 2**32 - 1]
            found = [(v, bits) for v in sums for bits in (0, 5, 12)]
        case _:
            raise ValueError(function)
    return found
