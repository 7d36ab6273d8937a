"""Gives convolutions factors below 1, which fast kernels want.

Nearly dead channels have larger ones.

    conv(x, w, b) with the scale s in channel o  ->  conv(x, w', b') with the scale s / 2^n in o,
    w'[o] = 2^n w[o], b'[o] = 2^n b[o]

The rule shifts the accumulator to the left by n before it multiplies by m; now it has been shifted,
m stays and n becomes 0. It is exact as long as no accumulator reaches 2^31, and
scales stay normal numbers of float32; where that is not certain, or 2^n w is no int8, the channel
stays as it is.

Numerics: exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType
from mcuc.numerics import params
from mcuc.ops.convolution import BIAS, INPUT, WEIGHTS, ConvAttrs
from mcuc.passes.spec import Pass

# The axis of the output channels in the weights.
_AXIS = {"conv2d": 0, "depthwise_conv2d": 3}
_LARGEST_INPUT = 255  # |x - zero point|
_LEAST_SCALE = 2.0**-120  # far from denormal numbers, whatever the shift


def small_factors(graph: Graph) -> Graph:
    """The graph with such channels scaled."""
    values = dict(graph.values)
    nodes = tuple(_scaled(node, values) for node in graph.nodes)
    return graph if nodes == graph.nodes else graph.with_nodes(nodes, values)


def _scaled(node: Node, values: dict[int, Value]) -> Node:
    """The node, reading new constants if channels are scaled."""
    if node.op not in _AXIS:
        return node
    x, out = node.inputs[INPUT], values[node.outputs[0]]
    assert x is not None
    if values[x].type.dtype is not DType.S8 or out.type.dtype is not DType.S8:
        return node
    if isinstance(node.attrs, ConvAttrs) and node.attrs.uint8:
        return node  # it has another rule
    axis = _AXIS[node.op]
    weights, *rest = (None if v is None else values[v] for v in node.inputs[WEIGHTS:])
    assert weights is not None
    bias = rest[0] if rest else None
    left = _shifts(values[x], weights, bias, out, axis)
    if not left.any():
        return node
    inputs = list(node.inputs)
    inputs[WEIGHTS] = _add(values, _shifted(weights, left, axis))
    if bias is not None:
        inputs[BIAS] = _add(values, _shifted(bias, left, 0))
    return replace(node, inputs=tuple(inputs))


def _shifts(
    x: Value, weights: Value, bias: Value | None, out: Value, axis: int
) -> npt.NDArray[np.int64]:
    """N of each channel, 0 where it stays."""
    x_quant, quant, out_quant = x.type.quant, weights.type.quant, out.type.quant
    data = weights.const
    assert x_quant is not None and quant is not None and out_quant is not None
    assert data is not None
    channels = data.shape[axis]
    if len(quant.scales) != channels or any(quant.zero_points):
        return np.zeros(1, np.int64)
    factors = params.conv_multipliers(x_quant.scale, quant.scales, out_quant.scale)
    left = np.maximum([f.shift for f in factors], 0).astype(np.int64)
    rows = np.moveaxis(data, axis, 0).reshape(channels, -1).astype(np.int64)
    size = np.abs(rows).sum(axis=1) * _LARGEST_INPUT
    if bias is not None:
        assert bias.const is not None
        size += np.abs(bias.const.reshape(-1).astype(np.int64))
    fine = (left < 7) & (np.abs(rows).max(axis=1) << np.minimum(left, 7) < 128)
    fine &= (size << np.minimum(left, 7) < 1 << 31) & (np.abs(quant.scales) > _LEAST_SCALE)
    return np.where(fine, left, 0)


def _shifted(value: Value, left: npt.NDArray[np.int64], axis: int) -> Value:
    """The constant with channels along an axis shifted to the left, their scales to the right."""
    data, quant = value.const, value.type.quant
    assert data is not None
    shape = [1] * data.ndim
    shape[axis] = -1
    const = (data.astype(np.int64) << left.reshape(shape)).astype(data.dtype)
    if quant is not None and len(quant.scales) == len(left):
        scales = tuple(float(s) for s in np.asarray(quant.scales) / 2.0**left)
        quant = replace(quant, scales=scales)
    return replace(value, type=replace(value.type, quant=quant), const=const)


def _add(values: dict[int, Value], value: Value) -> int:
    values[max(values) + 1] = value
    return max(values)


SMALL_FACTORS = Pass("small-factors", small_factors, "exact")
