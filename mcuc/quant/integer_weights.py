"""Weights and bias of an integer op from those of a QDQ graph.

The accumulator of an op with weights counts in steps of s_x s_w[o], and so must the bias. Files
hold others: a scale of their own, one for all channels, or a float bias; it is brought there by

    b'[o] = round(b[o] s_b / (s_x s_w[o]))

Where b'[o] would pass 2^30, s_w[o] is widened by the factor that is missing, and w[o] rounded
again: so small weights beside a large bias lose bits that the output does not show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Node, Value
from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops.convolution import ConvAttrs
from mcuc.quant.qparams import (
    LARGEST_BIAS,
    WEIGHTS_LIMIT,
    along,
    away,
    bias_scales,
    quantized_bias,
)

Doubles = npt.NDArray[np.float64]
_ROUNDED = 1e-5  # relative difference of scales that were rounded on the way


@dataclass(frozen=True)
class Made:
    """Operands and attributes of the integer op."""

    weights: Value
    bias: Value | None
    attrs: object


def integer_weights(
    node: Node, axis: int, x: TensorType, weights: Value, bias: Value | None, out: Quant
) -> Made | str:
    """The integer operands, or why there are none.

    Args:
        node: The float op.
        axis: Of the weights' output channels.
        x: The integer input.
        weights: A constant of int8.
        bias: A constant of int32 with a scale, or of float32; None = there is none.
        out: Of the integer result.
    """
    quant = weights.type.quant
    assert x.quant is not None and quant is not None and weights.const is not None
    if weights.type.dtype is not DType.S8:
        return f"its weights are {weights.type.dtype.value}"
    if quant.per_channel and quant.axis != axis:
        return f"its weights are quantized along axis {quant.axis}, not along output channels"
    attrs = node.attrs
    if any(quant.zero_points):
        if quant.per_channel or x.dtype is DType.S16 or node.op == "transpose_conv":
            return "its weights have zero points other than 0"
        if isinstance(attrs, ConvAttrs):
            attrs = replace(attrs, uint8=True)
    if bias is None:
        return Made(weights, None, attrs)
    if bias.const is None:
        return "its bias is computed at run time"
    channels = weights.type.shape[axis]
    real = _real(bias)
    if real.size != channels:
        return f"its bias has {real.size} elements for {channels} channels"
    scales = np.broadcast_to(np.asarray(quant.scales), (channels,))
    missing = np.abs(real) / (x.quant.scale * scales * LARGEST_BIAS)
    if missing.max(initial=0.0) > 1.0 and x.dtype is DType.S8:
        weights = _widened(weights, axis, np.maximum(missing, 1.0))
        assert weights.type.quant is not None
        quant = weights.type.quant
    return Made(weights, _bias(bias, real, x, quant, channels), attrs)


def _real(bias: Value) -> Doubles:
    assert bias.const is not None
    data: Doubles = bias.const.astype(np.float64).ravel()
    quant = bias.type.quant
    if quant is None:
        return data
    real: Doubles = (data - np.asarray(quant.zero_points)) * np.asarray(quant.scales)
    return real


def _bias(bias: Value, real: Doubles, x: TensorType, quant: Quant, channels: int) -> Value:
    """In the accumulator's scale; as stored, where it is."""
    assert x.quant is not None and bias.const is not None
    dtype = DType.S64 if x.dtype is DType.S16 else DType.S32
    wanted = np.broadcast_to(x.quant.scale * np.asarray(quant.scales), (channels,))
    stored = bias.type.quant
    is_same = (
        stored is not None
        and not any(stored.zero_points)
        and np.allclose(np.asarray(stored.scales), wanted, rtol=_ROUNDED, atol=0.0)
        and bias.type.dtype in (DType.S32, DType.S64)
    )
    if is_same:
        data = bias.const.ravel().astype(dtype.numpy)
    else:
        scales = tuple(float(s) for s in np.broadcast_to(np.asarray(quant.scales), (channels,)))
        data = quantized_bias(real, x.quant.scale, scales, x.dtype)
    own = bias_scales(x.quant.scale, quant.scales)
    axis = 0 if len(own) > 1 else None
    return Value(TensorType((channels,), dtype, Quant(own, (0,) * len(own), axis)), bias.name, data)


def _widened(weights: Value, axis: int, factor: Doubles) -> Value:
    """Scales times a factor per channel, weights over it."""
    quant = weights.type.quant
    assert quant is not None and weights.const is not None
    old = np.broadcast_to(np.asarray(quant.scales), factor.shape)
    scales = tuple(float(s) for s in (old * factor).astype(np.float32))
    centered = weights.const.astype(np.float64) - quant.zero_point
    steps = away(centered * along(old / np.asarray(scales), axis, centered.ndim))
    data = np.clip(steps, -WEIGHTS_LIMIT, WEIGHTS_LIMIT).astype(np.int8)
    wide = Quant(scales, (0,) * len(scales), axis)
    return Value(replace(weights.type, quant=wide), weights.name, data)
