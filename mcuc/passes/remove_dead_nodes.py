"""Removes what no output depends on.

    y = op(x), y not read and no output  ->  nothing

Numerics: exact. Graph inputs stay, used or not: they are part of the model's interface.
"""

from __future__ import annotations

from mcuc.ir.graph import Graph
from mcuc.passes.spec import Pass


def remove_dead_nodes(graph: Graph) -> Graph:
    """The graph without dead nodes and values."""
    return graph.without_dead()


REMOVE_DEAD_NODES = Pass("remove-dead-nodes", remove_dead_nodes, "exact")
