"""Gives convolutions positive weight scales: batch normalisation folds in negative ones.

    conv(x, w, b) with the scale -s in channel o  ->  conv(x, w', b') with the scale s in channel o,
    w'[o] = -w[o], b'[o] = -b[o]

Both have the factor (m, n) of s, one with -m. The accumulator becomes -acc and

    hm(sat(acc 2^n), -m) = up(-acc 2^n m / 2^31) = hm(sat(-acc 2^n), m)

unless sat clamps, and then both results are at least 2^29 away from 0 on the same side: outside of
int8. So it is exact for every acc but -2^31, which has no negative; a channel whose accumulators
might be that small keeps its scale, as does one with a weight of -128.

Numerics: exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType
from mcuc.ops.convolution import BIAS, INPUT, WEIGHTS
from mcuc.passes.spec import Pass

# The axis of the output channels in the weights.
_AXIS = {"conv2d": 0, "depthwise_conv2d": 3}
_LARGEST_INPUT = 255  # |x - zero point|


def positive_scales(graph: Graph) -> Graph:
    """The graph with such channels turned round."""
    values = dict(graph.values)
    nodes = tuple(_turned(node, values) for node in graph.nodes)
    return graph if nodes == graph.nodes else graph.with_nodes(nodes, values)


def _turned(node: Node, values: dict[int, Value]) -> Node:
    """The node, reading new constants if channels are turned round."""
    if node.op not in _AXIS:
        return node
    x = node.inputs[INPUT]
    assert x is not None
    if values[x].type.dtype is not DType.S8:
        return node
    axis = _AXIS[node.op]
    weights, *rest = (None if v is None else values[v] for v in node.inputs[WEIGHTS:])
    assert weights is not None
    bias = rest[0] if rest else None
    turned = _channels(weights, bias, axis)
    if not turned.any():
        return node
    inputs = list(node.inputs)
    inputs[WEIGHTS] = _add(values, _negated(weights, turned, axis))
    if bias is not None:
        inputs[BIAS] = _add(values, _negated(bias, turned, 0))
    return replace(node, inputs=tuple(inputs))


def _channels(weights: Value, bias: Value | None, axis: int) -> npt.NDArray[np.bool_]:
    """Which channels have a negative scale and can be turned round."""
    quant, data = weights.type.quant, weights.const
    assert quant is not None and data is not None
    channels = data.shape[axis]
    rows = np.moveaxis(data, axis, 0).reshape(channels, -1).astype(np.int64)
    size = np.abs(rows).sum(axis=1) * _LARGEST_INPUT
    if bias is not None:
        assert bias.const is not None
        size += np.abs(bias.const.reshape(-1).astype(np.int64))
    # Scales of whole tensors are positive.
    negative = np.broadcast_to(np.asarray(quant.scales), channels) < 0
    result: npt.NDArray[np.bool_] = negative & (rows > -128).all(axis=1) & (size < 1 << 31)
    return result


def _negated(value: Value, turned: npt.NDArray[np.bool_], axis: int) -> Value:
    """The constant with the channels along an axis negated, data and scales."""
    data, quant = value.const, value.type.quant
    assert data is not None
    signs = np.where(turned, -1, 1)
    shape = [1] * data.ndim
    shape[axis] = -1
    const = (data * signs.reshape(shape)).astype(data.dtype)
    if quant is not None and len(quant.scales) == len(turned):
        scales = tuple(float(s) for s in np.asarray(quant.scales) * signs)
        quant = replace(quant, scales=scales)
    return replace(value, type=replace(value.type, quant=quant), const=const)


def _add(values: dict[int, Value], value: Value) -> int:
    values[max(values) + 1] = value
    return max(values)


POSITIVE_SCALES = Pass("positive-scales", positive_scales, "exact")
