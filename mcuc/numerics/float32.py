"""The arithmetic of float32 operators: every operation rounded to float32, sums in a fixed order.

So the results have the same bits as the C's, on every machine: `exp` is the twin of `mcuc_expf` in
`runtime_c/include/mcuc/fmath.h`, and a sum is taken in the order in which TFLite's reference
kernels take it. Rules: docs/numerics.md, "Operators on float32".
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

LARGEST = float(np.finfo(np.float32).max)

# Elements of the two arrays that a sum of products works in: 256 KB each, so that caches hold them.
_CHUNK = 1 << 16

_LOG2_E = np.float32(1.44269504)
_LN2_HIGH = np.float32(0.693359375)  # 9 bits: times a small integer it is exact
_LN2_LOW = np.float32(-0.00021219444170128554)
_ROUND = np.float32(12582912.0)  # 1.5 * 2^23: adding it rounds to an integer
# (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2
_SERIES = tuple(
    np.float32(c)
    for c in (0.00139345449851, 0.00836377684027, 0.04166645556689, 0.16666573286057, 0.5)
)


def bounds(activation: str) -> tuple[float, float]:
    """Clamping range of a fused activation (`CalculateActivationRange`)."""
    return {
        "none": (-LARGEST, LARGEST),
        "relu": (0.0, LARGEST),
        "relu6": (0.0, 6.0),
        "relu_n1_to_1": (-1.0, 1.0),
    }[activation]


def clamp(x: npt.ArrayLike, limits: tuple[float, float]) -> Floats:
    """The numbers within the limits; NaN stays."""
    low, high = (np.float32(limit) for limit in limits)
    value = np.asarray(x, np.float32)
    raised = np.where(value < low, low, value)
    return np.where(high < raised, high, raised)


def ordered_sum(x: npt.ArrayLike) -> Floats:
    """Sum over the first axis, element after element; [K, ...] -> [...]."""
    terms = np.asarray(x, np.float32)
    total = np.zeros(terms.shape[1:], np.float32)
    with np.errstate(all="ignore"):
        for term in terms:
            total += term
    return total


def ordered_product(rows: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Sums of products [P, K] x [K, O] -> [P, O]: each starts at 0 and goes through K in order."""
    left, right = np.asarray(rows, np.float32), np.asarray(weights, np.float32)
    result = np.zeros((len(left), right.shape[1]), np.float32)
    step = max(1, _CHUNK // right.shape[1])
    with np.errstate(all="ignore"):
        for first in range(0, len(left), step):
            total = result[first : first + step]
            product = np.empty_like(total)
            for column, factors in zip(left[first : first + step].T, right, strict=True):
                np.multiply(column[:, np.newaxis], factors, out=product)
                total += product
    return result


def exp(x: npt.ArrayLike) -> Floats:
    """Exponential, off by less than 2 units in the last place; from 89 on infinite.

    Below -87.3 the result is small and not relied on.
    """
    low, high = np.float32(-88), np.float32(89)
    value = np.asarray(x, np.float32)
    bounded = np.where(value < low, low, value)
    bounded = np.where(bounded > high, high, bounded)
    with np.errstate(all="ignore"):
        shifted = bounded * _LOG2_E + _ROUND
        whole = shifted - _ROUND
        rest = (bounded - whole * _LN2_HIGH) - whole * _LN2_LOW
        series = _SERIES[0]
        for coefficient in _SERIES[1:]:
            series = series * rest + coefficient
        mantissa = (series * (rest * rest) + rest) + np.float32(1)
        power = shifted.view(np.int32) - _ROUND.view(np.int32)
        half = power >> 1
        result: Floats = mantissa * _power_of_two(half) * _power_of_two(power - half)
    return result


def _power_of_two(exponent: npt.NDArray[np.int32]) -> Floats:
    bits = ((exponent + 127).astype(np.uint32) & np.uint32(511)) << np.uint32(23)
    return bits.view(np.float32)


def logistic(x: npt.ArrayLike) -> Floats:
    """1 / (1 + exp(-x)), with TFLite's limits beyond which it is 1 or exp(x)."""
    value, one = np.asarray(x, np.float32), np.float32(1)
    with np.errstate(all="ignore"):
        middle = one / (one + exp(-value))
    small = np.where(value < np.float32(-9), exp(value), middle)
    result: Floats = np.where(value > np.float32(16.619047164916992), one, small)
    return result


def softmax(x: npt.ArrayLike, beta: float) -> Floats:
    """Softmax over the last axis."""
    value = np.asarray(x, np.float32)
    greatest = np.maximum(value.max(axis=-1, keepdims=True), np.float32(-LARGEST))
    exps = exp((value - greatest) * np.float32(beta))
    result: Floats = exps / ordered_sum(np.moveaxis(exps, -1, 0))[..., np.newaxis]
    return result
