"""Computes once what is computed twice.

    y = op(a, b), z = op(a, b)  ->  y = op(a, b), z := y

for equal attributes, equal operands (constants by their contents) and equal result types, unless z
is an output of the graph.

Numerics: exact; ops have no state.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.graph import Graph, Node
from mcuc.passes.spec import Pass


def merge_duplicates(graph: Graph) -> Graph:
    """The graph with one of such nodes each."""
    same: dict[int, int] = {}  # value -> the one that stands for it
    seen: dict[object, tuple[int, ...]] = {}
    nodes: list[Node] = []
    outputs = set(graph.results)
    for node in graph.nodes:
        moved = replace(
            node, inputs=tuple(None if v is None else same.get(v, v) for v in node.inputs)
        )
        key = _key(graph, moved)
        first = seen.setdefault(key, node.outputs)
        if first != node.outputs and outputs.isdisjoint(node.outputs):
            same.update(zip(node.outputs, first, strict=True))
        else:
            nodes.append(moved)
    if not same:
        return graph
    values = {v: x for v, x in graph.values.items() if v not in same}
    return graph.with_nodes(tuple(nodes), values)


def _key(graph: Graph, node: Node) -> object:
    """Equal for nodes that compute the same."""
    return (
        node.op,
        node.attrs,
        graph.output_types(node),
        tuple(None if v is None else _operand(graph, v) for v in node.inputs),
    )


def _operand(graph: Graph, v: int) -> object:
    value = graph.values[v]
    return v if value.const is None else (value.type, value.const.tobytes())


MERGE_DUPLICATES = Pass("merge-duplicates", merge_duplicates, "exact")
