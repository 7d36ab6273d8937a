"""Tangent, hyperbolic functions and inverse functions of float32: twins of mcuc/farcs.h.

Every operation is rounded to float32 in the order in which the C has it, so that both give the
same bits. Sources of the polynomials: there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.numerics import float32, float_functions
from mcuc.numerics.float32 import Floats
from mcuc.numerics.float_functions import poly

_ONE, _HALF = np.float32(1), np.float32(0.5)
_HALF_PI, _QUARTER_PI = np.float32(1.57079633), np.float32(0.785398163)


def tan(x: npt.ArrayLike) -> Floats:
    """Tangent."""
    result: Floats = float_functions.sine(x) / float_functions.sine(x, 1)
    return result


def atan(x: npt.ArrayLike) -> Floats:
    """Inverse tangent."""
    value = np.asarray(x, np.float32)
    size = np.where(value < 0, -value, value)
    far, middle = size > np.float32(2.41421356), size > np.float32(0.414213562)
    near = np.where(middle, (size - _ONE) / (size + _ONE), size)
    rest = np.where(far, -(_ONE / size), near)
    start = np.where(far, _HALF_PI, np.where(middle, _QUARTER_PI, np.float32(0)))
    z = rest * rest
    y = poly(z, 8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1)
    y = start + (y * z * rest + rest)
    return np.asarray(np.where(value < 0, -y, y), np.float32)


def asin(x: npt.ArrayLike) -> Floats:
    """Inverse sine; NaN beyond 1."""
    value = np.asarray(x, np.float32)
    size = np.where(value < 0, -value, value)
    far = size > _HALF
    folded = _HALF * (_ONE - size)
    root = np.where(far, np.sqrt(folded), size)
    z = np.where(far, folded, size * size)
    y = poly(z, 4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2,
             1.6666752422e-1)  # fmt: skip
    y = y * z * root + root
    y = np.where(far, _HALF_PI - (y + y), y)
    return np.asarray(np.where(value < 0, -y, y), np.float32)


def acos(x: npt.ArrayLike) -> Floats:
    """Inverse cosine; NaN beyond 1."""
    result: Floats = _HALF_PI - asin(x)
    return result


def sinh(x: npt.ArrayLike) -> Floats:
    """Hyperbolic sine."""
    value = np.asarray(x, np.float32)
    size = np.where(value < 0, -value, value)
    z = value * value
    near = poly(z, 2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1) * z * value + value
    e = float32.exp(size)
    far = _HALF * e - _HALF / e
    far = np.where(value < 0, -far, far)
    return np.asarray(np.where(size > _ONE, far, near), np.float32)


def cosh(x: npt.ArrayLike) -> Floats:
    """Hyperbolic cosine."""
    value = np.asarray(x, np.float32)
    e = float32.exp(np.where(value < 0, -value, value))
    result: Floats = _HALF * e + _HALF / e
    return result


def asinh(x: npt.ArrayLike) -> Floats:
    """Inverse hyperbolic sine."""
    value = np.asarray(x, np.float32)
    size = np.where(value < 0, -value, value)
    z = size * size
    near = poly(z, 2.0122003309e-2, -4.2699340972e-2, 7.4847586088e-2, -1.6666288134e-1)
    near = near * z * size + size
    y = np.where(size < _HALF, near, float_functions.log(size + np.sqrt(z + _ONE)))
    return np.asarray(np.where(value < 0, -y, y), np.float32)


def acosh(x: npt.ArrayLike) -> Floats:
    """Inverse hyperbolic cosine; NaN below 1."""
    value = np.asarray(x, np.float32)
    z = value - _ONE
    near = poly(z, 1.7596881071e-3, -7.5272886713e-3, 2.6454905019e-2, -1.1784741703e-1,
                1.4142135263)  # fmt: skip
    near = near * np.sqrt(z)
    far = float_functions.log(value + np.sqrt(z * (value + _ONE)))
    return np.asarray(np.where(z < _HALF, near, far), np.float32)


def atanh(x: npt.ArrayLike) -> Floats:
    """Inverse hyperbolic tangent; NaN beyond 1."""
    value = np.asarray(x, np.float32)
    size = np.where(value < 0, -value, value)
    z = value * value
    near = poly(z, 1.81740078349e-1, 8.24370301058e-2, 1.46691431730e-1, 1.99782164500e-1,
                3.33337300303e-1)  # fmt: skip
    near = near * z * value + value
    far = _HALF * float_functions.log((_ONE + value) / (_ONE - value))
    return np.asarray(np.where(size < _HALF, near, far), np.float32)
