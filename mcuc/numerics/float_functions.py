"""Logarithm, tanh, sine, cosine, error function of float32: twins of mcuc/ffunctions.h.

Every operation is rounded to float32 in the order in which the C has it, so that both give the
same bits. Sources of the polynomials: there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.numerics import float32
from mcuc.numerics.float32 import Floats

_ONE, _HALF = np.float32(1), np.float32(0.5)


def poly(x: Floats, *coefficients: float) -> Floats:
    """The polynomial with the coefficients, highest first, by Horner's rule."""
    y = np.full_like(x, np.float32(coefficients[0]))
    for c in coefficients[1:]:
        y = y * x + np.float32(c)
    return y


def log(x: npt.ArrayLike) -> Floats:
    """Natural logarithm; -infinity at 0, NaN below."""
    value = np.asarray(x, np.float32)
    small = value < np.float32(1.17549435e-38)
    scaled = np.where(small, value * np.float32(16777216), value)
    bits = scaled.view(np.uint32)
    e: Floats = np.where(small, np.float32(-24), np.float32(0)).astype(np.float32)
    e = e + ((bits >> np.uint32(23)).astype(np.int32) - 126).astype(np.float32)
    m = ((bits & np.uint32(0x7FFFFF)) | np.uint32(0x3F000000)).view(np.float32)
    low = m < np.float32(0.70710678)
    e = np.asarray(np.where(low, e - _ONE, e), np.float32)
    m = np.where(low, m + m, m) - _ONE
    z = m * m
    y = poly(m, 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1,
              1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1,
              3.3333331174e-1)  # fmt: skip
    y = y * m * z
    y = y + e * np.float32(-2.12194440e-4)
    y = y - _HALF * z
    result = (m + y) + e * np.float32(0.693359375)
    result = np.where(value > np.float32(3.4028234e38), value, result)
    below = np.where(value == 0, np.float32(-np.inf), np.float32(np.nan))
    return np.asarray(np.where(value > 0, result, below), np.float32)


def tanh(x: npt.ArrayLike) -> Floats:
    """Hyperbolic tangent."""
    value = np.asarray(x, np.float32)
    size = np.where(value < 0, -value, value)
    far = _ONE - np.float32(2) / (float32.exp(size + size) + _ONE)
    z = value * value
    near = poly(z, -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1,
                 -3.33332819422e-1)  # fmt: skip
    near = near * z * value + value
    far = np.where(value < 0, -far, far)
    return np.asarray(np.where(size >= np.float32(0.625), far, near), np.float32)


def sine(x: npt.ArrayLike, quarters: int = 0) -> Floats:
    """sin(x + quarters * pi / 2): 1 makes it the cosine."""
    value = np.asarray(x, np.float32)
    shift = np.float32(12582912.0)
    limit = np.minimum(np.maximum(value, np.float32(-4e6)), np.float32(4e6))
    whole = (limit * np.float32(0.63661977) + shift) - shift
    n = (whole.astype(np.int32) + quarters) & 3
    rest = (value - whole * np.float32(1.5703125)) - whole * np.float32(4.837512969970703125e-4)
    rest = rest - whole * np.float32(7.54978995489188e-8)
    z = rest * rest
    even = poly(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
    even = even * z * z - _HALF * z + _ONE
    odd = poly(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
    odd = odd * z * rest + rest
    y = np.where(n & 1 != 0, even, odd)
    return np.asarray(np.where(n & 2 != 0, -y, y), np.float32)


def erf(x: npt.ArrayLike) -> Floats:
    """Error function."""
    value = np.asarray(x, np.float32)
    size = np.where(value < 0, -value, value)
    t = _ONE / (_ONE + np.float32(0.3275911) * size)
    y = poly(t, 1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    y = _ONE - y * t * float32.exp(-(size * size))
    return np.asarray(np.where(value < 0, -y, y), np.float32)


def log_softmax(x: npt.ArrayLike) -> Floats:
    """X - max - log(sum(exp(x - max))) over the last axis."""
    value = np.asarray(x, np.float32)
    greatest = value.max(axis=-1, keepdims=True)
    total = float32.ordered_sum(np.moveaxis(float32.exp(value - greatest), -1, 0))
    result: Floats = value - greatest - log(total)[..., np.newaxis]
    return result
