"""Layer normalization on integers.

Of n integers q of scale s, whatever their zero point:

    d = n q - sum q,  w = sum d^2 / 4^j + e,  e = round(epsilon n^3 / s^2 / 4^j)
    y = (q - mean) scale / sqrt(variance + epsilon) + bias
      = (d / (2^j sqrt(w))) sqrt(n) scale + bias

where j is 0, but for inputs whose e would not fit. The quotient lies in -1 .. 1 and has 30
fractional bits; 1 / sqrt(w) is TFLite's, of w / 4^k below 2^31. Then one factor and one offset per
channel, in 64 bits, rounded once, halves up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.numerics.inverse_root import inverse_sqrt

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

_UNIT_BITS = 30
_MOST_FACTOR, _MOST_OFFSET, _MOST_ADDEND = 2.0**30, 2.0**60, 2.0**61
_MOST_HALVINGS = 30  # with those of w and those of its root less than 63
_MOST_BITS, _LEAST_BITS = 15, 1 - _UNIT_BITS


@dataclass(frozen=True)
class Parameters:
    """The constants of one layer.

    Attributes:
        halvings: j.
        addend: e.
        factors: [C] below 2^30.
        offsets: [C] the bias and the zero point of the result, and a half, in the same unit.
        shift: Bits that are dropped at the end.
    """

    halvings: int
    addend: int
    factors: Ints
    offsets: Ints
    shift: int


def parameters(
    scale: Doubles, bias: Doubles, epsilon: float, x_scale: float, y_scale: float, y_zero: int
) -> Parameters:
    """From the real numbers of a layer.

    Raises:
        ValueError: a scale is too small for the integers here.
    """
    count = len(scale)
    addend, halvings = epsilon * count**3 / (x_scale * x_scale), 0
    while addend > _MOST_ADDEND:
        addend, halvings = addend / 4, halvings + 1
        if halvings > _MOST_HALVINGS:
            raise ValueError(f"the scale of the input, {x_scale:g}, is too small beside epsilon")
    factors = scale * math.sqrt(count) / y_scale
    offsets = bias / y_scale + y_zero
    bits = _MOST_BITS
    while (
        np.abs(factors).max() * 2.0**bits >= _MOST_FACTOR
        or (np.abs(offsets).max() + 1) * 2.0 ** (_UNIT_BITS + bits) >= _MOST_OFFSET
    ):
        bits -= 1
        if bits < _LEAST_BITS:
            raise ValueError(f"the scale of the result, {y_scale:g}, is too small")
    shift = _UNIT_BITS + bits
    half = 1 << (shift - 1)
    return Parameters(
        halvings,
        round(addend),
        np.rint(factors * 2.0**bits).astype(np.int64),
        np.rint(offsets * 2.0**shift).astype(np.int64) + half,
        shift,
    )


def layer_norm(x: Ints, p: Parameters, limits: tuple[int, int]) -> Ints:
    """Rows of integers [N, C] -> the same shape.

    Args:
        x: The integers, with their zero point.
        p: Constants.
        limits: Clamping range.
    """
    d = x.shape[-1] * x - x.sum(axis=-1, keepdims=True)
    w = ((d * d).sum(axis=-1, keepdims=True) >> 2 * p.halvings) + p.addend
    halvings = np.full_like(w, p.halvings)
    while (large := w > np.iinfo(np.int32).max).any():
        w = np.where(large, w >> 2, w)
        halvings += large
    multiplier, shift = inverse_sqrt(w)
    right = 1 + halvings - shift
    unit = (d * multiplier + (np.int64(1) << (right - 1))) >> right
    y = (unit * p.factors + p.offsets) >> p.shift
    return np.asarray(np.clip(y, *limits), np.int64)
