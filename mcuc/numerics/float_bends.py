"""Activation functions of float32 made of an exponential: twins of mcuc/fbends.h.

Every operation is rounded to float32 in the order in which the C has it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.numerics import float32, float_functions
from mcuc.numerics.float32 import Floats

_ZERO, _ONE, _TWO = (np.float32(n) for n in (0, 1, 2))
_FAR = np.float32(20)


def softplus(x: npt.ArrayLike) -> Floats:
    """log(1 + exp(x))."""
    value = np.asarray(x, np.float32)
    size = np.where(value < 0, -value, value)
    rest = float_functions.log(_ONE + float32.exp(-size))
    result: Floats = np.where(value > 0, value, _ZERO) + rest
    return result


def mish(x: npt.ArrayLike) -> Floats:
    """X tanh(softplus(x)), as x n / (n + 2) with n = e^x (e^x + 2)."""
    value = np.asarray(x, np.float32)
    e: Floats = float32.exp(np.where(value > _FAR, _FAR, value))
    n = e * (e + _TWO)
    return np.asarray(value * (n / (n + _TWO)), np.float32)


def elu(x: npt.ArrayLike, alpha: np.float32) -> Floats:
    """X, and below zero alpha (exp(x) - 1)."""
    value = np.asarray(x, np.float32)
    return np.where(value > 0, value, alpha * (float32.exp(value) - _ONE))


def celu(x: npt.ArrayLike, alpha: np.float32) -> Floats:
    """X, and below zero alpha (exp(x / alpha) - 1)."""
    value = np.asarray(x, np.float32)
    return np.where(value > 0, value, alpha * (float32.exp(value / alpha) - _ONE))


def power(a: npt.ArrayLike, b: npt.ArrayLike) -> Floats:
    """A to the power b, for arrays that broadcast: products for whole exponents up to 32."""
    base, exponent = np.broadcast_arrays(np.asarray(a, np.float32), np.asarray(b, np.float32))
    whole = np.floor(exponent) == exponent
    small = whole & (np.abs(exponent) <= 32)
    count = np.where(small, np.abs(exponent), 0).astype(np.int32)
    product, factor = np.ones(base.shape, np.float32), base
    with np.errstate(all="ignore"):
        for bit in range(6):
            product = np.where(count >> bit & 1 != 0, product * factor, product)
            factor = factor * factor
        product = np.where(exponent < 0, _ONE / product, product)

    size = np.where(base < 0, -base, base)
    result = float32.exp(exponent * float_functions.log(size))
    half = exponent * np.float32(0.5)
    odd = whole & (np.floor(half) != half)
    signed = np.where(odd, -result, result)
    result = np.where(base < 0, np.where(whole, signed, np.float32(np.nan)), result)
    result = np.where(base == 0, np.where(exponent > 0, _ZERO, np.float32(np.inf)), result)
    result = np.where(exponent == np.float32(0.5), np.sqrt(base), result)
    return np.asarray(np.where(small, product, result), np.float32)
