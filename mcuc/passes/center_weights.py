"""Takes the zero point out of weights where they leave room for it.

    conv(x, w, zero point z)  ->  conv(x, w - z, zero point 0)        if w - z fits in int8

for conv2d, depthwise_conv2d and fully_connected with constant weights of one scale. Weights of
uint8 models have zero points; without one the fast kernels apply.

Numerics: exact: accumulators see w - z either way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import DType, Quant
from mcuc.ops.convolution import INPUT, WEIGHTS
from mcuc.passes.spec import Pass

_OPS = ("conv2d", "depthwise_conv2d", "fully_connected")


def center_weights(graph: Graph) -> Graph:
    """The graph with symmetric weights where they fit."""
    readers = graph.consumers()
    values = dict(graph.values)
    for node in graph.nodes:
        v = node.inputs[WEIGHTS] if node.op in _OPS else None
        if v is None or v in graph.outputs or len(readers[v]) > 1 or not _is_int8(graph, node):
            continue
        value = values[v]
        quant = value.type.quant
        if value.const is None or quant is None or quant.per_channel or not quant.zero_point:
            continue
        centered = value.const.astype(np.int16) - quant.zero_point
        if centered.min() < -128 or centered.max() > 127:
            continue
        type_ = replace(value.type, quant=Quant(quant.scales, (0,), quant.axis))
        values[v] = replace(value, type=type_, const=centered.astype(np.int8))
    changed = any(values[v] is not value for v, value in graph.values.items())
    return replace(graph, values=values) if changed else graph


def _is_int8(graph: Graph, node: Node) -> bool:
    x = node.inputs[INPUT]
    return x is not None and graph.type(x).dtype is DType.S8


CENTER_WEIGHTS = Pass("center-weights", center_weights, "exact")
