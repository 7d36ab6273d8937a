"""From ranges of real numbers to scales and zero points.

Activations: int8 with a zero point over [low, high], which always holds 0; int16 symmetric.
Weights: int8, symmetric in -127..127, one scale per output channel. Scales are float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.types import DType, Quant

Doubles = npt.NDArray[np.float64]

# Below, the product of two scales would leave what float32 holds exactly enough.
LEAST_SCALE = 2.0**-40
# Real factor of the least channel of a convolution: kernels shift by up to 31 bits.
LEAST_FACTOR = 2.0**-30
# A bias takes half of an accumulator; the other half is left for the products.
LARGEST_BIAS = 2.0**30
WEIGHTS_LIMIT = 127


@dataclass(frozen=True)
class Range:
    """Least and greatest real number that a tensor is to hold."""

    low: float
    high: float

    def __or__(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high))


def activation_quant(range_: Range, dtype: DType) -> Quant:
    """Scale and zero point of an activation.

    A range of nothing but 0 (a tensor that was 0 on all samples) gives a scale of 1/127.
    """
    low, high = min(0.0, range_.low), max(0.0, range_.high)
    if dtype is DType.S16:
        largest = max(-low, high)
        return Quant((_scale(largest / 32767 if largest else 1 / 32767),), (0,))
    if high - low <= 0.0:
        return Quant((_scale(1 / 127),), (0,))
    scale = _scale((high - low) / 255)
    zero_point = round(-128 - low / scale)
    return Quant((scale,), (int(np.clip(zero_point, -128, 127)),))


def _scale(real: float) -> float:
    return float(np.float32(max(real, LEAST_SCALE)))


def real_limits(quant: Quant, dtype: DType) -> Range:
    """The numbers that the least and the greatest integer stand for."""
    info = np.iinfo(dtype.numpy.name)
    return Range(
        (int(info.min) - quant.zero_point) * quant.scale,
        (int(info.max) - quant.zero_point) * quant.scale,
    )


def weight_scales(
    weights: Array, axis: int, bias: Array | None, x_scale: float, out_scale: float, dtype: DType
) -> tuple[float, ...]:
    """A scale for each output channel of weights.

    It is wide enough for the largest weight, and wider where the bias would not fit into its int32
    (tiny weights beside a bias), or where the factor to the output would be too small to represent
    (a channel without weights). The weights then lose bits that the output could not show.

    Args:
        weights: float32.
        axis: Of the output channels.
        bias: float32 [channels], or None.
        x_scale, out_scale: Of the input and output.
        dtype: Of the activations: an int16 layer has biases of 64 bits.
    """
    others = tuple(a for a in range(weights.ndim) if a != axis)
    scales = np.abs(weights.astype(np.float64)).max(axis=others) / WEIGHTS_LIMIT
    scales = np.maximum(scales, LEAST_FACTOR * out_scale / x_scale)
    if bias is not None and dtype is not DType.S16:
        largest = np.abs(bias.astype(np.float64).ravel())
        scales = np.maximum(scales, largest / (x_scale * LARGEST_BIAS))
    return tuple(float(s) for s in np.maximum(scales, LEAST_SCALE).astype(np.float32))


def quantized_weights(weights: Array, scales: tuple[float, ...], axis: int) -> Array:
    """int8 weights, halves away from zero."""
    steps = weights.astype(np.float64) / along(np.asarray(scales), axis, weights.ndim)
    return np.clip(away(steps), -WEIGHTS_LIMIT, WEIGHTS_LIMIT).astype(np.int8)


def quantized_bias(bias: Array, x_scale: float, scales: tuple[float, ...], dtype: DType) -> Array:
    """The bias in the accumulator's scale: int32, or int64 on int16."""
    steps = away(bias.astype(np.float64).ravel() / (x_scale * np.asarray(scales)))
    if dtype is DType.S16:
        return steps.astype(np.int64)
    return np.clip(steps, -(2.0**31), 2.0**31 - 1).astype(np.int32)


def bias_scales(x_scale: float, scales: tuple[float, ...]) -> tuple[float, ...]:
    """The accumulator's scale for each channel."""
    return tuple(float(np.float32(x_scale * scale)) for scale in scales)


def along(per_channel: npt.NDArray[Any], axis: int, rank: int) -> npt.NDArray[Any]:
    """Numbers per channel, shaped to broadcast along an axis."""
    return per_channel.reshape([-1 if a == axis else 1 for a in range(rank)])


def away(x: Doubles) -> Doubles:
    """Rounded to integers, halves away from zero."""
    result: Doubles = np.copysign(np.floor(np.abs(x) + 0.5), x)
    return result


def quantized_constant(data: Array, quant: Quant, dtype: DType) -> Array:
    """A constant activation as integers."""
    info = np.iinfo(dtype.numpy.name)
    steps = away(data.astype(np.float64) / quant.scale) + quant.zero_point
    return np.clip(steps, info.min, info.max).astype(dtype.numpy)
