"""Removes what no output depends on.

    y = op(x), y not read and no output  ->  nothing

Numerics: exact. Graph inputs stay, used or not: they are part of the model's interface.
"""

from __future__ import annotations

from mcuc.ir.graph import Graph, Node
from mcuc.passes.spec import Pass


def remove_dead_nodes(graph: Graph) -> Graph:
    """The graph without dead nodes and values."""
    wanted = set(graph.results)
    nodes: list[Node] = []
    for node in reversed(graph.nodes):
        if wanted.isdisjoint(node.outputs):
            continue
        nodes.append(node)
        wanted.update(v for v in node.inputs if v is not None)
    wanted.update(graph.sources)
    wanted.update(v for node in nodes for v in node.outputs)
    values = {v: value for v, value in graph.values.items() if v in wanted}
    if len(nodes) == len(graph.nodes) and len(values) == len(graph.values):
        return graph
    return graph.with_nodes(tuple(reversed(nodes)), values)


REMOVE_DEAD_NODES = Pass("remove-dead-nodes", remove_dead_nodes, "exact")
