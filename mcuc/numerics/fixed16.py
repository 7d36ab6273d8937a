"""Logistic and tanh of int16 fixed-point numbers: gemmlowp's `fixedpoint.h` on int16.

Rules: docs/numerics.md, "int16 gates"; the C twin is `runtime_c/include/mcuc/fixed16.h`. A number
with k integer bits is raw / 2^(15 - k). Every function takes and gives int64 arrays of raw int16.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.numerics import fixed

Ints = npt.NDArray[np.int64]

ONE = 32767  # the largest number without integer bits stands for 1
_LOW, _HIGH = -32768, 32767
# exp(-2^k), k = -2 .. 4, in 31 bits
_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)


def _constant(wide: int) -> int:
    """A 31-bit constant in 15 bits, rounded."""
    return int(fixed.rounding_divide_by_pot(wide, 16))


def _saturated(x: npt.ArrayLike) -> Ints:
    return np.clip(np.asarray(x, np.int64), _LOW, _HIGH)


def high_mul(a: npt.ArrayLike, b: npt.ArrayLike) -> Ints:
    """A * b without the doubled sign bit, to nearest, halves away from zero."""
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    nudged = product + np.where(product >= 0, 1 << 14, 1 - (1 << 14))
    return _saturated(np.sign(nudged) * (np.abs(nudged) >> 15))


def _exp_on_quarter(a: Ints) -> Ints:
    """exp(a) for a in [-1/4, 0), no integer bits."""
    x = a + (1 << 12)
    x2 = high_mul(x, x)
    x3, x4 = high_mul(x2, x), high_mul(x2, x2)
    inner = high_mul(fixed.rounding_divide_by_pot(x4, 2) + x3, _constant(715827883)) + x2
    series = fixed.rounding_divide_by_pot(inner, 1)
    term = _constant(1895147668)
    return _saturated(term + high_mul(term, x + series))


def exp_on_negative_values(a: npt.ArrayLike, integer_bits: int) -> Ints:
    """exp(a) for a <= 0 with `integer_bits`; the result has none."""
    value = np.asarray(a, np.int64)
    quarter = 1 << (13 - integer_bits)
    rest = (value & (quarter - 1)) - quarter
    result = _exp_on_quarter(_saturated(rest << integer_bits))
    remainder = rest - value
    for exponent, wide in zip(range(-2, integer_bits), _POWERS, strict=False):
        bit = 1 << (15 - integer_bits + exponent)
        result = np.where(remainder & bit, high_mul(result, _constant(wide)), result)
    return np.where(value == 0, ONE, result)


def _reciprocal(a: Ints) -> Ints:
    """2 / (1 + a) for a in [0, 1], with two integer bits: Newton's method."""
    total = a + ONE
    half = np.sign(total) * ((np.abs(total) + 1) >> 1)
    x = _constant(1515870810) + high_mul(half, _constant(-1010580540))
    for _ in range(3):
        rest = (1 << 13) - high_mul(half, x)
        x = x + _saturated(high_mul(x, rest) << 2)
    return x


def logistic(a: npt.ArrayLike, integer_bits: int = 3) -> Ints:
    """1 / (1 + exp(-a)), no integer bits."""
    value = np.asarray(a, np.int64)
    below = np.where(value > 0, -value, value)
    above = _saturated(_reciprocal(exp_on_negative_values(below, integer_bits)) << 1)
    result = np.where(value > 0, above, ONE - above)
    return np.where(value == 0, 1 << 14, result)


def tanh(a: npt.ArrayLike, integer_bits: int) -> Ints:
    """Hyperbolic tangent, no integer bits."""
    value = np.asarray(a, np.int64)
    below = np.where(value < 0, value, -value)
    # exp(2 a): one integer bit more makes it twice the number
    ratio = _reciprocal(exp_on_negative_values(below, integer_bits + 1))
    size = _saturated((ratio - (1 << 13)) << 2)
    result = np.where(value < 0, -size, size)
    return np.where(value == 0, 0, result)
