"""Moves a RESHAPE behind element-wise ops, so that a layer and what belongs to it are neighbours.

    f(reshape(x))      ->  reshape(f(x))
    reshape(x) op c    ->  reshape(x op c), c a constant number, or one per channel of both shapes

A convolution over one axis is one over two with a RESHAPE behind; its bias, batch normalization
and activation then find it. Only where nothing else reads the RESHAPE's result. Numerics: exact.
"""

from __future__ import annotations

import math
from dataclasses import replace

from mcuc.ir.graph import Graph, Node, Value
from mcuc.passes.spec import Pass

_ONE = ("unary", "relu", "logistic", "quantize", "dequantize")
_PAIRS = ("add", "mul", "pairwise")


def sink_reshape(graph: Graph) -> Graph:
    """The graph with RESHAPEs further behind; the very same object if none moves."""
    values = dict(graph.values)
    nodes = list(graph.nodes)
    consumers = graph.consumers()
    producers = {v: i for i, node in enumerate(nodes) for v in node.outputs}
    moved = False
    for index, node in enumerate(nodes):
        place = _reshape_before(values, node, nodes, producers)
        if place is None or len(consumers[nodes[place].outputs[0]]) > 1:
            continue
        before = nodes[place]
        (x,), (y,), (z,) = before.inputs, before.outputs, node.outputs
        if y in graph.results or x is None:
            continue
        u = max(values) + 1
        values[u] = Value(replace(values[z].type, shape=values[x].type.shape), values[z].name)
        inputs = tuple(x if v == y else v for v in node.inputs)
        values[y] = replace(values[y], type=values[z].type)
        # The op takes the RESHAPE's place, which is before; the RESHAPE the op's.
        nodes[place] = replace(node, inputs=inputs, outputs=(u,))
        nodes[index] = replace(before, inputs=(u,), outputs=(z,))
        producers[u], producers[z] = place, index
        moved = True
    if not moved:
        return graph
    used = {v for node in nodes for v in (*node.inputs, *node.outputs) if v is not None}
    used.update(graph.results, graph.sources)
    return graph.with_nodes(tuple(nodes), {v: x for v, x in values.items() if v in used})


def _reshape_before(
    values: dict[int, Value], node: Node, nodes: list[Node], producers: dict[int, int]
) -> int | None:
    """Index of the RESHAPE whose result a node reads and may as well read before."""
    if node.op in _ONE:
        return _reshape(node.inputs[0], nodes, producers)
    if node.op not in _PAIRS or len(node.inputs) != 2:
        return None
    a, b = node.inputs
    for v, constant in ((a, b), (b, a)):
        place = _reshape(v, nodes, producers)
        source = None if place is None else nodes[place].inputs[0]
        if v is None or constant is None or source is None or values[constant].const is None:
            continue
        shape, before, after = (values[i].type.shape for i in (constant, source, v))
        same = values[node.outputs[0]].type.shape == after
        one = math.prod(shape) == 1
        channels = math.prod(shape[:-1]) == 1 and before[-1:] == after[-1:]
        if same and (one or channels) and len(shape) <= len(before):
            return place
    return None


def _reshape(v: int | None, nodes: list[Node], producers: dict[int, int]) -> int | None:
    place = None if v is None else producers.get(v)
    return place if place is not None and nodes[place].op == "reshape" else None


SINK_RESHAPE = Pass("sink-reshape", sink_reshape, "exact")
