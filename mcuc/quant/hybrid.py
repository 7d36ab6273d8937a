"""Models of dynamic range as float models: int8 weights become the numbers that they stand for.

    op(x, w int8)   ->   op(x, s (w - z) float32)

Numerics: bounded: the hybrid op rounds its input when it runs, the float op does not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import DType, TensorType
from mcuc.quant.qparams import along
from mcuc.quant.rules import rule_of

WEIGHTS = 1


def with_float_weights(graph: Graph) -> Graph:
    """The graph with float32 weights where a float op has int8 ones."""
    values = dict(graph.values)
    nodes: list[Node] = []
    for node in graph.nodes:
        if not is_hybrid(graph, node):
            nodes.append(node)
            continue
        w = node.inputs[WEIGHTS]
        assert w is not None
        stored = graph.values[w]
        quant, data = stored.type.quant, stored.const
        assert quant is not None and data is not None
        axis = quant.axis or 0
        centered = data.astype(np.float32) - along(
            np.asarray(quant.zero_points, np.float32), axis, data.ndim
        )
        real = centered * along(np.asarray(quant.scales, np.float32), axis, data.ndim)
        new = max(values) + 1
        values[new] = replace(
            stored, type=TensorType(data.shape, DType.F32), const=real.astype(np.float32)
        )
        inputs = (*node.inputs[:WEIGHTS], new, *node.inputs[WEIGHTS + 1 :])
        nodes.append(replace(node, inputs=inputs))
    return graph.with_nodes(tuple(nodes), values)


def is_hybrid(graph: Graph, node: Node) -> bool:
    """Whether a node with weights computes on float32 with constant weights of int8."""
    rule = rule_of(node)
    if rule is None or rule.kind != "weights":
        return False
    x, w = node.inputs[0], node.inputs[WEIGHTS]
    if x is None or w is None or graph.values[w].const is None:
        return False
    return graph.type(x).dtype is DType.F32 and graph.type(w).dtype is DType.S8
