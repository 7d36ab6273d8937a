"""Lets a FULLY_CONNECTED read the map that it would get flattened, row by row.

    fully_connected(reshape(x [1, H, W, C]) [1, H * W * C], w)  ->  fully_connected_rows(x, w)

Then x need not be whole in memory. Where H is 1 there is nothing to gain, and where the rounding
is no proven line (mcuc/ops/lines.py) there is no kernel: such nodes stay. A flattening that others
read too stays for them. Numerics: exact.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.graph import Graph, Node
from mcuc.ir.target import HOST
from mcuc.ir.types import DType
from mcuc.ops.fully_connected import Attrs, has_lines
from mcuc.ops.spec import Site
from mcuc.passes.spec import Pass


def flatten_pass(numerics: str) -> Pass:
    """The pass for a rule set."""

    def flatten(graph: Graph) -> Graph:
        made = {n.outputs[0]: n for n in graph.nodes}
        nodes = tuple(_rewritten(graph, node, made, numerics) for node in graph.nodes)
        return graph if nodes == graph.nodes else graph.with_nodes(nodes)

    return Pass("flatten", flatten, "exact")


def _rewritten(graph: Graph, node: Node, made: dict[int, Node], numerics: str) -> Node:
    if node.op != "fully_connected" or node.inputs[0] is None:
        return node
    source = node.inputs[0]
    while source in made and made[source].op == "reshape":
        before = made[source].inputs[0]
        assert before is not None
        source = before
    shape = graph.type(source).shape
    whole = len(shape) == 4 and shape[0] == 1 and shape[1] > 1
    one = graph.type(node.outputs[0]).shape == (1, graph.type(node.outputs[0]).shape[-1])
    if not (whole and one) or graph.values[source].const is not None:
        return node
    if graph.type(source).dtype is not DType.S8:
        return node
    site = Site.of(graph, node, numerics)
    if not has_lines(site, HOST):
        return node
    assert isinstance(node.attrs, Attrs)
    attrs = replace(node.attrs, keep_num_dims=False)
    inputs = (source, *node.inputs[1:])
    return replace(node, op="fully_connected_rows", inputs=inputs, attrs=attrs)
