"""Element-wise functions of one int8 operand, as tables [256] over -128 .. 127.

Each is what TFLite computes for every value, LiteRT 2.3 with BUILTIN_REF; rules in
docs/numerics.md, "Unary operators". Sources: `elementwise.cc`, `activations.cc`, `gelu.h`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from mcuc.numerics import fixed
from mcuc.numerics.int8 import Int8s, float_table, relu_table
from mcuc.numerics.inverse_root import inverse_sqrt
from mcuc.numerics.params import Multiplier, quantize_multiplier

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

_ALL = np.arange(-128, 128, dtype=np.int64)
_RSQRT_SHIFT = 20


@dataclass(frozen=True)
class Scales:
    """Quantization of input and output, and the operator's own number (LEAKY_RELU's alpha)."""

    x_scale: float
    x_zero: int
    y_scale: float
    y_zero: int
    alpha: float = 0.0

    @property
    def ratio(self) -> np.float32:
        return np.float32(self.x_scale) / np.float32(self.y_scale)


Table = Callable[[Scales], Int8s]


def _by_float(function: Callable[[Doubles], Doubles]) -> Table:
    """`LUTPopulate`: a function of float32; the double result rounded is that of any libm."""

    def single(x: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(function(x.astype(np.float64)), np.float32)

    return lambda q: float_table(single, q.x_scale, q.x_zero, q.y_scale, q.y_zero)


def _gelu(x: Doubles) -> Doubles:
    erf: Doubles = np.asarray([math.erf(v) for v in x * math.sqrt(0.5)])
    result: Doubles = 0.5 * x * (1 + erf)
    return result


def gelu_tanh(x: Doubles) -> Doubles:
    """The same by a hyperbolic tangent."""
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    result: Doubles = 0.5 * x * (1 + np.tanh(inner))
    return result


def _log(q: Scales) -> Int8s:
    table = _by_float(lambda x: np.log(np.maximum(x, 1e-30)))(q)
    return np.where(q.x_zero < _ALL, table, -128).astype(np.int8)


def _abs(q: Scales) -> Int8s:
    value = np.abs(_ALL - q.x_zero)
    if q.ratio != 1:
        value = _rescaled(value, quantize_multiplier(float(q.ratio)))
    return _clamped(value + q.y_zero)


def _neg(q: Scales) -> Int8s:
    return (-_ALL).astype(np.int8)  # -128 stays: TFLite negates in 8 bits


def _sqrt(q: Scales) -> Int8s:
    """The quotient is cut, not rounded; below zero, where TFLite fails, it is that of 0."""
    x = np.float32(q.x_scale) * np.maximum(_ALL - q.x_zero, 0).astype(np.float32)
    return _clamped((np.sqrt(x) / np.float32(q.y_scale)).astype(np.int64) + q.y_zero)


def _rsqrt(q: Scales) -> Int8s:
    """At zero, and below, where TFLite fails, the largest value."""
    double_scale = 1.0 / float(np.sqrt(np.float32(q.x_scale)) * np.float32(q.y_scale))
    factor = quantize_multiplier(double_scale)
    found = np.full(256, 127, np.int64)
    for i, value in enumerate(_ALL - q.x_zero):
        if value > 0:
            root = inverse_sqrt_multiplier(int(value))
            data = _rescaled(np.int64(1), Multiplier(root.multiplier, root.shift + _RSQRT_SHIFT))
            scaled = _rescaled(data, Multiplier(factor.multiplier, factor.shift - _RSQRT_SHIFT))
            found[i] = int(scaled) + q.y_zero
    return _clamped(found)


def inverse_sqrt_multiplier(x: int) -> Multiplier:
    """1 / sqrt(x) for x > 0."""
    multiplier, shift = inverse_sqrt(np.asarray(x, np.int64))
    return Multiplier(int(multiplier), int(shift))


def _leaky_relu(q: Scales) -> Int8s:
    value = _ALL - q.x_zero
    # the product is taken first, in float32
    small = np.float32(q.x_scale) * np.float32(q.alpha) / np.float32(q.y_scale)
    above = _rescaled(value, quantize_multiplier(float(q.ratio)))
    below = _rescaled(value, quantize_multiplier(float(small)))
    return _clamped(np.where(value >= 0, above, below) + q.y_zero)


def _hard_swish(q: Scales) -> Int8s:
    """X * relu6(x + 3) / 6 in 16 bits (`HardSwish` of reference_ops)."""
    fine = np.float32(1 / 128) * np.float32(q.x_scale)
    out = quantize_multiplier(float(fine / np.float32(q.y_scale)))
    reluish = quantize_multiplier(float(fine / (np.float32(3) / np.float32(32768))))
    if out.shift > 0:
        raise ValueError("the output's scale is too small for HARD_SWISH")
    value = (_ALL - q.x_zero) << 7
    preshift = _high_mul16(value, _to_int16(out.multiplier))
    relu = value
    if reluish.shift > 0:
        relu = np.clip(relu << (reluish.shift - 1), -32768, 32767)
    relu = _high_mul16(relu, _to_int16(reluish.multiplier))
    if reluish.shift > 0:
        relu = np.clip(relu << 1, -32768, 32767)
    if reluish.shift < 0:
        relu = fixed.rounding_divide_by_pot(relu, -reluish.shift)
    relu = (relu + (1 << 15)) >> 1
    product = np.trunc(relu * preshift / (1 << 15)).astype(np.int64)
    return _clamped(fixed.rounding_divide_by_pot(product, -out.shift) + q.y_zero)


def _to_int16(multiplier: int) -> int:
    return min((multiplier + (1 << 15)) >> 16, 32767)


def _high_mul16(a: Ints, b: int) -> Ints:
    """`SaturatingRoundingDoublingHighMul` of int16."""
    product = a * b
    nudge = np.where(product >= 0, 1 << 14, 1 - (1 << 14))
    return np.minimum(np.trunc((product + nudge) / (1 << 15)), 32767).astype(np.int64)


def _relu_0_to_1(q: Scales) -> Int8s:
    table = relu_table("RELU", q.x_scale, q.x_zero, q.y_scale, q.y_zero)
    one = q.y_zero + math.floor(1 / np.float32(q.y_scale) + 0.5)
    return np.minimum(table, min(one, 127)).astype(np.int8)


def _rescaled(x: npt.ArrayLike, factor: Multiplier) -> Ints:
    return fixed.multiply_by_quantized_multiplier(x, factor.multiplier, factor.shift)


def _clamped(x: Ints) -> Int8s:
    return np.clip(x, -128, 127).astype(np.int8)


TABLES: Mapping[str, Table] = MappingProxyType(
    {
        "abs": _abs,
        "exp": _by_float(lambda x: np.exp(np.minimum(x, 30))),  # far beyond any int8
        "gelu": _by_float(_gelu),
        "gelu_tanh": _by_float(gelu_tanh),
        "hard_swish": _hard_swish,
        "leaky_relu": _leaky_relu,
        "log": _log,
        "neg": _neg,
        "relu_0_to_1": _relu_0_to_1,
        "rsqrt": _rsqrt,
        "sqrt": _sqrt,
        "tanh": _by_float(np.tanh),
    }
)
