"""The arithmetic of each int8 operator on arrays: what the operators' numpy references call.

Shapes are the caller's business: these functions see accumulators, sums or elements. Each rule is
stated, with its TFLite source, in `docs/numerics.md`. Unless said otherwise inputs are arrays of
int8 (or int32 accumulators) and results are int8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.numerics import fixed
from mcuc.numerics.fixed import Ints
from mcuc.numerics.params import (
    AddParams,
    Multiplier,
    SoftmaxParams,
    calculate_activation_range_int8,
    decompose_double,
    relu_multiplier,
)

Int8s = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float32]
Range = tuple[int, int]

# Each element adds at most 1 = 2^19 to a sum of 32 bits, unsigned.
SOFTMAX_LONGEST_ROW = 8191
INT8_RANGE: Range = (-128, 127)
_ALL_INT8 = np.arange(-128, 128, dtype=np.int64)


def requantize_conv(
    acc: npt.ArrayLike,
    multiplier: npt.ArrayLike,
    shift: npt.ArrayLike,
    zero_point: int,
    clamp: Range = INT8_RANGE,
) -> Int8s:
    """Accumulators (bias included) to outputs: CONV_2D, DEPTHWISE_CONV_2D, `tflm` FC.

    Args:
        acc: [..., C] int32.
        multiplier: scalar or [C].
        shift: scalar or [C].
        zero_point: of the output.
        clamp: from the fused activation.
    """
    scaled = fixed.multiply_by_quantized_multiplier(acc, multiplier, shift)
    return _clamp(scaled + zero_point, clamp)


def requantize_fully_connected(
    acc: npt.ArrayLike, real_multiplier: npt.ArrayLike, zero_point: int, clamp: Range = INT8_RANGE
) -> Int8s:
    """Accumulators [..., C] to outputs: FULLY_CONNECTED of `litert-2.3`.

    `real_multiplier`, a double or [C] doubles, is :func:`params.conv_real_multiplier`.
    """
    real = np.asarray(real_multiplier, dtype=np.float64)
    parts = np.asarray([decompose_double(float(r)) for r in real.ravel()], dtype=np.int64)
    mantissa, right_shift = (parts[:, i].reshape(real.shape) for i in (0, 1))
    return _clamp(fixed.multiply_by_double(acc, mantissa, right_shift) + zero_point, clamp)


def add(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    zero_points: tuple[int, int, int],
    params: AddParams,
    clamp: Range = INT8_RANGE,
) -> Int8s:
    """ADD of two int8 arrays that broadcast; `zero_points` of a, b and the output."""
    left = _to_common_scale(a, zero_points[0], params.input1, params.left_shift)
    right = _to_common_scale(b, zero_points[1], params.input2, params.left_shift)
    return _clamp(_rescale(left + right, params.output) + zero_points[2], clamp)


def sub(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    zero_points: tuple[int, int, int],
    params: AddParams,
    clamp: Range = INT8_RANGE,
) -> Int8s:
    """SUB: as :func:`add`, with the rescaled b subtracted."""
    left = _to_common_scale(a, zero_points[0], params.input1, params.left_shift)
    right = _to_common_scale(b, zero_points[1], params.input2, params.left_shift)
    return _clamp(_rescale(left - right, params.output) + zero_points[2], clamp)


def squared_difference(
    a: npt.ArrayLike, b: npt.ArrayLike, zero_points: tuple[int, int, int], params: AddParams
) -> Int8s:
    """SQUARED_DIFFERENCE: as :func:`sub`, with the difference squared."""
    left = _to_common_scale(a, zero_points[0], params.input1, params.left_shift)
    right = _to_common_scale(b, zero_points[1], params.input2, params.left_shift)
    return _clamp(_rescale((left - right) ** 2, params.output) + zero_points[2], INT8_RANGE)


def prelu(
    x: npt.ArrayLike,
    slope: npt.ArrayLike,
    zero_points: tuple[int, int, int],
    above: Multiplier,
    below: Multiplier,
) -> Int8s:
    """PRELU: X by one factor, and below zero its product with the slope by another."""
    value = _ints(x) - zero_points[0]
    product = value * (_ints(slope) - zero_points[1])
    result = np.where(value >= 0, _rescale(value, above), _rescale(product, below))
    return _clamp(result + zero_points[2], INT8_RANGE)


def mul(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    zero_points: tuple[int, int, int],
    factor: Multiplier,
    clamp: Range = INT8_RANGE,
) -> Int8s:
    """MUL of two int8 arrays that broadcast; `zero_points` of a, b and the output."""
    product = (_ints(a) - zero_points[0]) * (_ints(b) - zero_points[1])
    return _clamp(_rescale(product, factor) + zero_points[2], clamp)


def requantize(
    x: npt.ArrayLike,
    input_zero_point: int,
    output_zero_point: int,
    factor: Multiplier,
    clamp: Range = INT8_RANGE,
) -> Ints:
    """QUANTIZE between integer types; `clamp` is the range of the output's dtype.

    Returns int64: the caller casts to the output's dtype.
    """
    scaled = _rescale(_ints(x) - input_zero_point, factor)
    return np.clip(scaled + output_zero_point, *clamp)


def quantize(x: npt.ArrayLike, scale: float, zero_point: int, clamp: Range = INT8_RANGE) -> Ints:
    """QUANTIZE of float32: float quotient, halves away from zero. NaN is not defined.

    Returns int64: the caller casts to the output's dtype.
    """
    with np.errstate(over="ignore"):
        quotient = (np.asarray(x, dtype=np.float32) / np.float32(scale)).astype(np.float64)
    bounded = np.clip(quotient, -1e6, 1e6)
    return np.clip(_round_half_away(bounded) + zero_point, *clamp)


def dequantize(x: npt.ArrayLike, scale: float, zero_point: int) -> Floats:
    """DEQUANTIZE: (x - zero_point) * scale, rounded once to float32."""
    return (_ints(x) - zero_point).astype(np.float32) * np.float32(scale)


def mean(
    total: npt.ArrayLike,
    count: int,
    input_zero_point: int,
    output_zero_point: int,
    factor: Multiplier,
    clamp: Range = INT8_RANGE,
) -> Ints:
    """MEAN over any axes: sum of raw values of `count` elements; factor: `mean_multiplier`.

    Returns int64: the caller casts to the output's dtype, whose range `clamp` is.
    """
    scaled = _rescale(_ints(total) - input_zero_point * count, factor)
    return np.clip(scaled + output_zero_point, *clamp)


def softmax(x: npt.ArrayLike, params: SoftmaxParams, width: int = 8) -> npt.NDArray[Any]:
    """SOFTMAX over the last axis; the output has as many bits, a scale of 2 to their negative
    power, and the least number as zero point.
    """
    value = _ints(x)
    if value.shape[-1] > SOFTMAX_LONGEST_ROW:
        raise ValueError(f"SOFTMAX of {value.shape[-1]} elements: the sum can overflow")
    diff = value - value.max(axis=-1, keepdims=True)
    counts = diff >= params.diff_min
    scaled = fixed.multiply_by_quantized_multiplier(
        np.where(counts, diff, 0), params.multiplier, params.left_shift
    )
    exps = np.where(counts, fixed.exp_on_negative_values(scaled), 0)
    total = fixed.rounding_divide_by_pot(exps, 12).sum(axis=-1, keepdims=True)
    scale, bits = fixed.get_reciprocal(total, 12)
    product = fixed.saturating_rounding_doubling_high_mul(scale, exps)
    least = -(1 << (width - 1))
    result = fixed.rounding_divide_by_pot(product, bits + 31 - width) + least
    clamped = np.clip(np.where(counts, result, least), least, -least - 1)
    return clamped.astype(np.int8 if width == 8 else np.int16)


def relu_table(
    activation: str,
    input_scale: float,
    input_zero_point: int,
    output_scale: float,
    output_zero_point: int,
) -> Int8s:
    """RELU, RELU6, RELU_N1_TO_1 as a table [256] over x = -128 .. 127."""
    factor = relu_multiplier(input_scale, output_scale)
    clamp = calculate_activation_range_int8(activation, output_scale, output_zero_point)
    scaled = _rescale(_ALL_INT8 - input_zero_point, factor)
    return _clamp(scaled + output_zero_point, clamp)


def logistic_table(
    input_scale: float, input_zero_point: int, output_scale: float, output_zero_point: int
) -> Int8s:
    """LOGISTIC as a table [256] over x = -128 .. 127."""

    def sigmoid(x: Floats) -> Floats:
        one = np.float32(1)
        return (one / (one + exp_float32(-x))).astype(np.float32)

    return float_table(sigmoid, input_scale, input_zero_point, output_scale, output_zero_point)


def float_table(
    function: Callable[[Floats], Floats],
    input_scale: float,
    input_zero_point: int,
    output_scale: float,
    output_zero_point: int,
) -> Int8s:
    """Table [256] of a unary float32 function (TFLite `LUTPopulate<int8_t>`)."""
    x = np.float32(input_scale) * (_ALL_INT8 - input_zero_point).astype(np.float32)
    inverse = np.float32(1) / np.float32(output_scale)
    rounded = _round_half_away((function(x) * inverse).astype(np.float64))
    return _clamp(rounded + output_zero_point, INT8_RANGE)


def exp_float32(x: Floats) -> Floats:
    """Exponential in float32, the double result rounded: the same bits on every platform's libm."""
    with np.errstate(over="ignore"):
        return np.exp(x.astype(np.float64)).astype(np.float32)


def _to_common_scale(x: npt.ArrayLike, zero_point: int, factor: Multiplier, left: int) -> Ints:
    return _rescale((_ints(x) - zero_point) << left, factor)


def _rescale(x: npt.ArrayLike, factor: Multiplier) -> Ints:
    return fixed.multiply_by_quantized_multiplier(x, factor.multiplier, factor.shift)


def _round_half_away(x: npt.NDArray[np.float64]) -> Ints:
    whole = np.trunc(x)
    rest = x - whole
    return whole.astype(np.int64) + (rest >= 0.5) - (rest <= -0.5)


def _clamp(x: Ints, clamp: Range) -> Int8s:
    return np.clip(x, *clamp).astype(np.int8)


def _ints(x: npt.ArrayLike) -> Ints:
    return np.asarray(x, dtype=np.int64)
