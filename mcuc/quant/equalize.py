"""Cross-layer equalization: channels of one activation are brought to similar size.

    y = a(x; w_a, b_a);  z = b(y; w_b)   ->   y' = a(x; w_a / s, b_a / s);  z = b(y'; s w_b)

for each channel of y, where a and b have weights, only b reads y, and the activation between is
none or RELU, which commutes with positive factors (Nagel et al., "Data-Free Quantization Through
Weight Equalization and Bias Correction", 2019; with peaks of activations as in Xiao et al.,
"SmoothQuant", 2022). Every s is a power of two: the float model computes the very same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Graph, Node, Value
from mcuc.quant.qparams import along
from mcuc.quant.rules import rule_of

Doubles = npt.NDArray[np.float64]

MOST = 64.0  # of a factor
_OPS = ("conv2d", "depthwise_conv2d", "fully_connected")


def equalization(graph: Graph, peaks: Mapping[int, Doubles]) -> dict[int, tuple[float, ...]]:
    """Factors s by the index of the first node of each pair; pairs that gain nothing are left out.

    Args:
        graph: Float.
        peaks: Largest magnitude of each channel, by value.
    """
    found = {}
    for first, second in _pairs(graph):
        peak = peaks[graph.nodes[first].outputs[0]]
        alive = peak > 0
        if not alive.any():
            continue
        # Weights of a depthwise convolution have a scale for each channel of the input: they take
        # any factor. Others share the scale over the inputs, and take half of it.
        share = 1.0 if graph.nodes[second].op == "depthwise_conv2d" else 0.5
        relative = np.where(alive, peak / peak.max(), 1.0)
        factors = 2.0 ** np.round(share * np.log2(np.maximum(relative, 1e-9)))
        factors = np.maximum(factors, 1 / MOST)
        if (factors != 1.0).any():
            found[first] = tuple(float(s) for s in factors)
    return found


def equalized(graph: Graph, factors: Mapping[int, tuple[float, ...]]) -> Graph:
    """The graph with the factors of `equalization` in its weights."""
    values = dict(graph.values)
    nodes = list(graph.nodes)
    for first, second in _pairs(graph):
        if first not in factors:
            continue
        s = np.asarray(factors[first])
        rule = rule_of(nodes[first])
        assert rule is not None
        nodes[first] = _scaled(values, nodes[first], 1, 1 / s, rule.axis)
        if len(nodes[first].inputs) > 2 and nodes[first].inputs[2] is not None:
            nodes[first] = _scaled(values, nodes[first], 2, 1 / s, 0)
        nodes[second] = _scaled(values, nodes[second], 1, s, _input_axis(nodes[second]))
    return graph.with_nodes(tuple(nodes), values)


def _input_axis(node: Node) -> int:
    return 1 if node.op == "fully_connected" else 3


def _scaled(values: dict[int, Value], node: Node, position: int, s: Doubles, axis: int) -> Node:
    """The node with a constant operand times a factor per channel, a value of its own."""
    v = node.inputs[position]
    assert v is not None
    value = values[v]
    assert value.const is not None
    flat = value.const if position == 1 else value.const.ravel()
    data = (flat * along(s, axis, flat.ndim).astype(np.float32)).reshape(value.const.shape)
    new = max(values) + 1
    values[new] = replace(value, const=data.astype(np.float32))
    inputs = (*node.inputs[:position], new, *node.inputs[position + 1 :])
    return replace(node, inputs=inputs)


def _pairs(graph: Graph) -> list[tuple[int, int]]:
    """Indices (a, b) of nodes whose connecting activation can be scaled."""
    consumers = graph.consumers()
    found = []
    for first, node in enumerate(graph.nodes):
        if node.op not in _OPS or not _has_constants(graph, node):
            continue
        if getattr(node.attrs, "activation", "") not in ("none", "relu"):
            continue
        (y,) = node.outputs
        readers = consumers.get(y, ())
        if y in graph.results or len(readers) != 1:
            continue
        second = graph.nodes[readers[0]]
        if second.inputs[0] != y or second.op not in _OPS or not _has_constants(graph, second):
            continue
        weights = graph.type(second.inputs[1] or 0).shape
        if weights[_input_axis(second)] == graph.type(y).shape[-1]:
            found.append((first, readers[0]))
    return found


def _has_constants(graph: Graph, node: Node) -> bool:
    """Float weights, and no bias that is computed."""
    constants = [v for v in node.inputs[1:] if v is not None]
    return all(
        (const := graph.values[v].const) is not None and const.dtype == np.float32
        for v in constants
    )
