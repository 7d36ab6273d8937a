"""Removes operations that change nothing, and joins conversions in a row.

    y = op(x)                            ->  y := x
    y = quantize(quantize(x))            ->  y = quantize(x)

where x and y have the same type, y is no graph output, and op is a table (RELU, QUANTIZE) that is
the identity on all values that x can have (mcuc/passes/ranges.py: an activation that never clips),
a RESHAPE, a PAD by nothing, or a pool of single elements that does not clip. Two conversions become
one only where that gives the same for every value of x.

Numerics: exact; tables are compared entry by entry.
"""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from mcuc.ir.graph import Array, Graph, Node
from mcuc.ir.types import DType
from mcuc.ops import quantize, relu
from mcuc.ops.checks import activation_range
from mcuc.ops.pad import paddings_of
from mcuc.ops.pooling import PoolAttrs
from mcuc.ops.spec import NUMERICS, Site
from mcuc.passes.ranges import Interval, ranges
from mcuc.passes.spec import Pass

_BYTES = (DType.S8, DType.U8)


def remove_identities(graph: Graph, numerics: str = NUMERICS[0]) -> Graph:
    """The graph without such nodes.

    Args:
        graph: A valid graph.
        numerics: Rule set of the ops.
    """
    known = ranges(graph, numerics)
    same: dict[int, int] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        moved = replace(
            node, inputs=tuple(None if v is None else same.get(v, v) for v in node.inputs)
        )
        (result, *rest) = node.outputs
        if not rest and result not in graph.results and _is_identity(graph, moved, known):
            source = moved.inputs[0]
            assert source is not None
            same[result] = source
        else:
            nodes.append(_joined(graph, moved, nodes))
    if tuple(nodes) == graph.nodes:
        return graph
    values = {v: x for v, x in graph.values.items() if v not in same}
    return graph.with_nodes(tuple(nodes), values)


def _is_identity(graph: Graph, node: Node, known: dict[int, Interval]) -> bool:
    x = node.inputs[0] if node.inputs else None
    if x is None or graph.type(x) != graph.type(node.outputs[0]):
        return False
    site = Site.of(graph, node)
    if node.op == "reshape":
        return True
    if node.op == "pad":
        return not any(any(pair) for pair in paddings_of(site))
    interval = known.get(x)
    if interval is None:
        return False
    low, high = int(interval.low.min()), int(interval.high.max())
    if node.op in ("relu", "quantize"):
        reached = np.arange(low, high + 1)
        return bool((_table(site, node.op)[reached + 128] == reached).all())
    if isinstance(node.attrs, PoolAttrs):
        clamp = activation_range(site, node.attrs.activation)
        return node.attrs.filter == (1, 1) and clamp[0] <= low and high <= clamp[1]
    return False


def _table(site: Site, op: str) -> Array:
    return relu.table(site) if op == "relu" else quantize.table(site)


def _joined(graph: Graph, node: Node, before: list[Node]) -> Node:
    """A QUANTIZE that reads what another one of `before` reads, if that gives the same."""
    if node.op != "quantize":
        return node
    found = [n for n in before if n.op == "quantize" and n.outputs[0] == node.inputs[0]]
    if not found or graph.operand_types(found[0])[0].dtype not in _BYTES:  # type: ignore[union-attr]
        return node
    (first,) = found
    direct = replace(node, inputs=first.inputs)
    inner = quantize.table(Site.of(graph, first)).astype(np.int64)
    outer = quantize.table(Site.of(graph, node))
    least = int(np.iinfo(graph.type(first.outputs[0]).dtype.numpy.name).min)
    composed = outer[inner - least]
    return direct if (composed == quantize.table(Site.of(graph, direct))).all() else node


def remove_identities_pass(numerics: str) -> Pass:
    """The pass for a rule set."""
    return Pass(
        "remove-identities", functools.partial(remove_identities, numerics=numerics), "exact"
    )
