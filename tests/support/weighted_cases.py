"""Makers of seeded cases for the ops with weights and the pools."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mcuc.ir.types import DType, Quant, TensorType
from mcuc.ops import average_pool2d, conv2d, depthwise_conv2d, fully_connected, max_pool2d
from mcuc.ops.windows import Pad, Pair, explicit_pad
from tests.support.cases import Case, Operand, per_channel, s8

Array = npt.NDArray[Any]

X_SCALE = 0.05
W_SCALE = 0.01


def seed_of(name: str) -> int:
    """A seed that depends on nothing but the case's name."""
    return zlib.crc32(name.encode())


def conv(
    name: str,
    x: Sequence[int],
    w: Sequence[int],
    *,
    op: str = "conv2d",
    stride: Pair = (1, 1),
    dilation: Pair = (1, 1),
    pad: str | Pad = "VALID",
    **options: Any,
) -> Case:
    """A CONV_2D or DEPTHWISE_CONV_2D.

    Args:
        name: Name, and seed of all data.
        x: Shape of the input, NHWC.
        w: Shape of the filter.
        op: "conv2d" or "depthwise_conv2d".
        stride: (vertical, horizontal).
        dilation: (vertical, horizontal).
        pad: "SAME", "VALID" or explicit.
        options: See `_weighted`, and `activation` and `uint8`.
    """
    if isinstance(pad, str):
        pad = explicit_pad(pad, (x[1], x[2]), (w[1], w[2]), stride, dilation)
    kind = conv2d.Attrs if op == "conv2d" else depthwise_conv2d.Attrs
    activation, uint8 = options.pop("activation", "none"), options.pop("uint8", False)
    attrs = kind(stride, dilation, pad, activation, uint8)
    depthwise = op == "depthwise_conv2d"
    depth = w[1] * w[2] * (1 if depthwise else w[3])
    return _weighted(name, op, attrs, x, w, 3 if depthwise else 0, depth, **options)


def depthwise(name: str, x: Sequence[int], kernel: Pair, multiplier: int = 1, **more: Any) -> Case:
    """A DEPTHWISE_CONV_2D; `more` as in `conv`."""
    w = (1, *kernel, x[3] * multiplier)
    return conv(name, x, w, op="depthwise_conv2d", **more)


def dense(name: str, x: Sequence[int], units: int, depth: int, **options: Any) -> Case:
    """A FULLY_CONNECTED; options as in `_weighted`, and `activation` and `keep_num_dims`."""
    attrs = fully_connected.Attrs(
        options.pop("keep_num_dims", False), options.pop("activation", "none")
    )
    return _weighted(name, "fully_connected", attrs, x, (units, depth), 0, depth, **options)


def _weighted(
    name: str,
    op: str,
    attrs: object,
    x: Sequence[int],
    w: Sequence[int],
    axis: int,
    depth: int,
    *,
    x_scale: float = X_SCALE,
    w_scale: float | Sequence[float] | None = None,
    out_scale: float | None = None,
    x_zero: int = 3,
    w_zero: int = 0,
    out_zero: int = -5,
    weights: Array | Sequence[int] | None = None,
    bias: Sequence[int] | str | None = "random",
    pattern: str = "random",
    numerics: str = "litert-2.3",
) -> Case:
    """The case. Scales are per channel and spread over a factor of 16 unless given.

    Args:
        name, op, attrs: Of the case.
        x, w: Shapes.
        axis: Channel axis of the weights.
        depth: Products in one accumulator.
        x_scale, w_scale, out_scale: Scales; by default most results are inside the range.
        x_zero, w_zero, out_zero: Zero points.
        weights: The data, or the values to draw it from.
        bias: The data, "random", or None.
        pattern: Of the input.
        numerics: Rule set.
    """
    rng = np.random.default_rng(seed_of(name))
    channels = w[axis]
    if w_scale is None:
        w_scale = list(W_SCALE * 2.0 ** rng.uniform(-2, 2, channels))
    if out_scale is None:
        out_scale = x_scale * float(np.mean(w_scale)) * 110.0 * depth**0.5
    if weights is None:
        weights = rng.integers(-127, 128, tuple(w), np.int8)
    elif not isinstance(weights, np.ndarray):
        weights = rng.choice(np.asarray(weights, np.int8), tuple(w))
    w_type = _weights_type(w, w_scale, w_zero, axis)
    operands = [Operand(s8(x, x_scale, x_zero), pattern=pattern), Operand(w_type, weights)]
    if bias is not None:
        if isinstance(bias, str):
            data = rng.integers(-3000, 3001, channels).astype(np.int32)
        else:
            data = np.asarray(bias, np.int64).astype(np.int32)
        operands.append(Operand(_bias_type(x_scale, w_type, channels), data))
    result = s8((), out_scale, out_zero)
    return Case(name, op, attrs, tuple(operands), (result,), seed_of(name), numerics)


def _weights_type(
    w: Sequence[int], scale: float | Sequence[float], zero: int, axis: int
) -> TensorType:
    if isinstance(scale, float):
        return s8(w, scale, zero)
    return per_channel(w, scale, axis)


def _bias_type(x_scale: float, weights: TensorType, channels: int) -> TensorType:
    assert weights.quant is not None
    scales = tuple(float(np.float32(x_scale * s)) for s in weights.quant.scales)
    axis = 0 if len(scales) > 1 else None
    return TensorType((channels,), DType.S32, Quant(scales, (0,) * len(scales), axis))


def pool(
    name: str,
    op: str,
    x: Sequence[int],
    filter: Pair,
    stride: Pair,
    pad: str | Pad = "VALID",
    *,
    zero: int = 3,
    activation: str = "none",
    pattern: str = "random",
    **more: Any,
) -> Case:
    """An AVERAGE_POOL_2D ("average_pool2d") or MAX_POOL_2D ("max_pool2d")."""
    if isinstance(pad, str):
        pad = explicit_pad(pad, (x[1], x[2]), filter, stride)
    kind = average_pool2d.Attrs if op == "average_pool2d" else max_pool2d.Attrs
    attrs = kind(filter, stride, pad, activation, **more)
    operand = Operand(s8(x, 0.03, zero), pattern=pattern)
    return Case(name, op, attrs, (operand,), (s8((), 0.03, zero),), seed_of(name))
