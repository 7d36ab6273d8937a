"""Turns a TRANSPOSE that leaves the memory as it is into a RESHAPE.

    transpose(x, perm), only axes of size 1 change their order  ->  reshape(x, permuted shape)

Numerics: exact; a reshape costs nothing on the device.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.graph import Graph, Node
from mcuc.ops import reshape
from mcuc.ops.spec import Site
from mcuc.ops.transpose import is_reshape
from mcuc.passes.spec import Pass


def transpose_to_reshape(graph: Graph) -> Graph:
    """The graph with reshapes in place of such transposes."""
    nodes = tuple(_rewritten(graph, node) for node in graph.nodes)
    return graph if nodes == graph.nodes else graph.with_nodes(nodes)


def _rewritten(graph: Graph, node: Node) -> Node:
    if node.op != "transpose" or not is_reshape(Site.of(graph, node)):
        return node
    shape = graph.type(node.outputs[0]).shape
    return replace(node, op="reshape", attrs=reshape.Attrs(shape))


TRANSPOSE_TO_RESHAPE = Pass("transpose-to-reshape", transpose_to_reshape, "exact")
