"""Takes factors and offsets per channel into the weights and the bias before them.

    op(x, w, b) a    ->  op(x, w a, b a)
    op(x, w, b) + d  ->  op(x, w, b + d)

where op is a convolution or a matrix product on float32 without an activation, a and d are
constants with a number per output channel (or one for all), and nothing else reads op's result.
A batch normalization is both.

Numerics: bounded: a factor is rounded into every weight (2^-24 of it), a sum of biases once. An
offset behind an op without a bias is exact: it is added where it was before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, TensorType
from mcuc.numerics.float32 import Floats
from mcuc.passes.spec import Pass

WEIGHTS, BIAS = 1, 2
# Axis of the output channels in the weights.
_CHANNELS = {"conv2d": 0, "depthwise_conv2d": 3, "transpose_conv": 0, "fully_connected": 0}


def fuse_affine(graph: Graph) -> Graph:
    """The graph without such products and sums; the very same object if there are none."""
    values = dict(graph.values)
    nodes: list[Node | None] = list(graph.nodes)
    producers = graph.producers()
    consumers = graph.consumers()
    for index, node in enumerate(graph.nodes):
        found = _source(graph, node, nodes, producers)
        if found is None:
            continue
        place, constant = found
        before = nodes[place]
        assert before is not None
        (y,) = before.outputs
        if y in graph.results or len(consumers.get(y, ())) > 1:
            continue
        numbers = _per_channel(graph, constant, graph.type(node.outputs[0]).shape)
        plain = values[before.inputs[WEIGHTS] or 0].type.quant is None
        if numbers is None or not (plain or node.op == "add"):
            continue
        nodes[place] = _fused(values, before, node, numbers)
        producers[node.outputs[0]] = place
        nodes[index] = None
    return graph.with_left(nodes, values)


def _source(
    graph: Graph, node: Node, nodes: list[Node | None], producers: dict[int, int]
) -> tuple[int, int] | None:
    """Index of the op before a product or sum with a constant, and the constant."""
    if node.op not in ("mul", "add") or graph.type(node.outputs[0]).dtype is not DType.F32:
        return None
    a, b = node.inputs
    assert a is not None and b is not None
    for x, constant in ((a, b), (b, a)):
        place = producers.get(x)
        before = None if place is None else nodes[place]
        if place is None or before is None or graph.values[constant].const is None:
            continue
        takes = before.op in _CHANNELS and getattr(before.attrs, "activation", "") == "none"
        same = graph.type(x).shape == graph.type(node.outputs[0]).shape
        if takes and same and getattr(node.attrs, "activation", "") == "none":
            return place, constant
    return None


def _per_channel(graph: Graph, constant: int, shape: tuple[int, ...]) -> Floats | None:
    """A constant as one number per channel of a result, or None if it is not that."""
    data = _data(graph.values, constant)
    if data.size == 1:
        return np.full(shape[-1], data.ravel()[0], np.float32)
    if math.prod(data.shape[:-1]) != 1 or data.shape[-1] != shape[-1]:
        return None
    return data.ravel()


def _fused(values: dict[int, Value], before: Node, node: Node, numbers: Floats) -> Node:
    inputs = list(before.inputs) + [None] * (BIAS + 1 - len(before.inputs))
    weights, bias = inputs[WEIGHTS], inputs[BIAS]
    assert weights is not None
    if node.op == "mul":
        inputs[WEIGHTS] = _scaled(values, weights, numbers, _CHANNELS[before.op])
        if bias is not None:
            inputs[BIAS] = _entered(values, values[bias], _data(values, bias).ravel() * numbers)
    else:
        total = numbers if bias is None else _data(values, bias).ravel() + numbers
        label = node.loc.tensor if bias is None else values[bias].name
        inputs[BIAS] = _entered(values, Value(TensorType((), DType.F32), label), total)
    while inputs[-1] is None:
        inputs.pop()
    return replace(before, inputs=tuple(inputs), outputs=node.outputs)


def _scaled(values: dict[int, Value], weights: int, numbers: Floats, axis: int) -> int:
    data = _data(values, weights)
    shape = [1] * data.ndim
    shape[axis] = -1
    return _entered(values, values[weights], data * numbers.reshape(shape))


def _data(values: Mapping[int, Value], v: int) -> Floats:
    data = values[v].const
    assert data is not None
    return np.asarray(data, np.float32)


def _entered(values: dict[int, Value], like: Value, data: Floats) -> int:
    """A new float32 constant with another one's label."""
    v = max(values) + 1
    array = np.ascontiguousarray(data, np.float32)
    values[v] = Value(TensorType(array.shape, DType.F32), like.name, array)
    return v


FUSE_AFFINE = Pass("fuse-affine", fuse_affine, "bounded")
