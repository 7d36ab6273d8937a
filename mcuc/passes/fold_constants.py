"""Computes nodes whose operands are all constants.

    y = op(c0, c1, ...), c0, c1, ... constants  ->  y is the constant ref(c0, c1, ...)

Numerics: exact: the reference is what the device would compute. Results that are larger than all
operands together by more than 64 KiB stay computed, since they would cost flash.
"""

from __future__ import annotations

import functools
from dataclasses import replace

from mcuc.ir.graph import Graph, Node
from mcuc.ops import spec_of
from mcuc.ops.spec import NUMERICS, Site
from mcuc.passes.spec import Pass

MAX_GROWTH_BYTES = 1 << 16


def fold_constants(graph: Graph, numerics: str = NUMERICS[0]) -> Graph:
    """The graph with constant results in place of the nodes that computed them.

    Args:
        graph: A valid graph.
        numerics: Rule set of the references.
    """
    values = dict(graph.values)
    nodes: list[Node] = []
    for node in graph.nodes:
        # An op without operands would be a source of run-time data.
        operands = [values[v] for v in node.inputs if v is not None]
        known = bool(operands) and all(value.const is not None for value in operands)
        size = sum(graph.type(v).size_bytes for v in node.outputs)
        if not known or size > MAX_GROWTH_BYTES + sum(o.type.size_bytes for o in operands):
            nodes.append(node)
            continue
        consts = tuple(None if v is None else values[v].const for v in node.inputs)
        site = replace(Site.of(graph, node, numerics), consts=consts)
        results = spec_of(node.op).ref(site, *consts)
        for v, result in zip(node.outputs, results, strict=True):
            values[v] = replace(values[v], const=result)
    if len(nodes) == len(graph.nodes):
        return graph
    return graph.with_nodes(tuple(nodes), values)


def fold_constants_pass(numerics: str) -> Pass:
    """The pass for a rule set."""
    return Pass("fold-constants", functools.partial(fold_constants, numerics=numerics), "exact")


FOLD_CONSTANTS = fold_constants_pass(NUMERICS[0])
