"""Straight lines instead of rounding rules, where a proof shows that nothing changes.

A rule that turns an accumulator into an int8 is a monotone staircase of at most 255 steps. So is a
line floor((multiplier * acc + constant) / 2^shift). If both have every step at the same accumulator
they are equal everywhere.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcuc.ir.program import Proof
from mcuc.numerics import int8, params
from mcuc.ops.convolution import Ints

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


@dataclass(frozen=True)
class Line:
    """y = (((acc * multiplier) >> 32) + constant) >> right, for every int32 acc."""

    multiplier: int
    constant: int
    right: int


def steps(rule: Callable[[Ints], Ints], low: int, high: int) -> Ints:
    """The smallest int32 x with rule(x) >= y for y = low + 1 .. high; 2^31 where there is none.

    Args:
        rule: Monotone, on int64 arrays of int32 values, with results in [low, high].
        low, high: Range of the results.
    """
    wanted = np.arange(low + 1, high + 1, dtype=np.int64)
    first = np.full(len(wanted), INT32_MIN, np.int64)
    last = np.full(len(wanted), INT32_MAX + 1, np.int64)  # rule(last) >= wanted, or none is
    while (first < last).any():
        middle = (first + last) >> 1
        reached = rule(np.minimum(middle, INT32_MAX)) >= wanted
        reached &= middle <= INT32_MAX
        last = np.where(reached | (middle > INT32_MAX), middle, last)
        first = np.where(reached | (middle > INT32_MAX), first, middle + 1)
    return last


@functools.lru_cache(maxsize=4096)
def of_double(real: float, zero_point: int, low: int, high: int) -> Line | None:
    """A line for FULLY_CONNECTED's rule `litert-2.3` if one is found.

    Factors are above 2^-20, so that every output is reached, and below 1/4, so that halves of
    outputs are whole numbers of the line. A multiplier that is one larger takes ties away from 0.
    """
    if not 2.0**-20 < real < 0.25:
        return None
    factor = np.asarray([real])
    wanted = steps(
        lambda x: int8.requantize_fully_connected(
            x[:, np.newaxis], factor, zero_point, (low, high)
        )[:, 0].astype(np.int64),
        low,
        high,
    )
    nearest = params.quantize_multiplier(real)
    right = -1 - nearest.shift  # multiplier * 2^-32 is real * 2^right
    for multiplier in range(nearest.multiplier - 1, nearest.multiplier + 2):
        constant = _constant(wanted, multiplier, right, low, high)
        if constant is not None:
            return Line(multiplier, constant, right)
    return None


def proof(units: int) -> Proof:
    """That lines give what the rule does, for every int32."""
    return Proof("lines", units, INT32_MIN, INT32_MAX)


def _constant(wanted: Ints, multiplier: int, right: int, low: int, high: int) -> int | None:
    """A constant for which all steps of the line are as wanted, and sums are int32."""
    if not 0 < multiplier <= INT32_MAX:
        return None
    if not ((wanted > INT32_MIN) & (wanted <= INT32_MAX)).all():
        return None  # outputs that no accumulator reaches, or that all do
    # At its step the sum reaches y * 2^right, and just before it does not.
    levels = np.arange(low + 1, high + 1, dtype=np.int64) << right
    at = (wanted * multiplier) >> 32
    before = ((wanted - 1) * multiplier) >> 32
    least = levels - at
    most = levels - before - 1
    lower, upper = int(least.max()), int(most.min())
    if lower > upper:
        return None
    constant = (lower + upper) // 2
    ends = [((x * multiplier) >> 32) + constant for x in (INT32_MIN, INT32_MAX)]
    return constant if all(INT32_MIN <= e <= INT32_MAX for e in ends) else None


@dataclass(frozen=True)
class Plane:
    """y = (a * a_multiplier + b * b_multiplier + constant) >> right, for all int8 a and b."""

    a_multiplier: int
    b_multiplier: int
    constant: int
    right: int


@functools.lru_cache(maxsize=256)
def of_add(
    zero_points: tuple[int, int, int], factors: params.AddParams, clamp: tuple[int, int]
) -> Plane | None:
    """A plane for ADD, compared with the rule on all 65,536 pairs; None if none is found."""
    byte = np.arange(-128, 128, dtype=np.int64)
    wanted = int8.add(byte[:, np.newaxis], byte, zero_points, factors, clamp).astype(np.int64)
    real = [_real(factors.input1) * _real(factors.output) * 2.0**factors.left_shift]
    real.append(_real(factors.input2) * _real(factors.output) * 2.0**factors.left_shift)
    for reach in (0, _REACH):
        for right in _RIGHT_SHIFTS:
            nearest = [round(r * 2.0**right) for r in real]
            for a in range(nearest[0] - reach, nearest[0] + reach + 1):
                for b in range(nearest[1] - reach, nearest[1] + reach + 1):
                    constant = _plane_constant(wanted, a, b, right, clamp)
                    if constant is not None:
                        return Plane(a, b, constant, right)
    return None


# Of all pairs of bytes.
PLANE = Proof("plane", 1, -128, 127)

# Fractional bits of a plane's multipliers that are tried, and by how much they are varied.
_RIGHT_SHIFTS = (23, 22, 21, 20)
_REACH = 8


def _real(factor: params.Multiplier) -> float:
    return factor.multiplier * 2.0 ** (factor.shift - 31)


def _plane_constant(wanted: Ints, a: int, b: int, right: int, clamp: tuple[int, int]) -> int | None:
    byte = np.arange(-128, 128, dtype=np.int64)
    sums = a * byte[:, np.newaxis] + b * byte
    least = np.where(wanted > clamp[0], (wanted << right) - sums, INT32_MIN).max()
    most = np.where(wanted < clamp[1], ((wanted + 1) << right) - 1 - sums, INT32_MAX).min()
    if least > most:
        return None
    constant = int(least + most) // 2
    ends = int(sums.min()) + constant, int(sums.max()) + constant
    return constant if ends[0] >= INT32_MIN and ends[1] <= INT32_MAX else None
