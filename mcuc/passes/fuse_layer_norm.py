"""Puts a layer normalization together that a file spells out.

    c = x - mean(x),  v = mean(c^2),  c / sqrt(v + epsilon) scale + bias  ->  layer_norm(x)

over the last axis, with c^2 as a square or a product, the quotient also as c * (1 / sqrt(..)),
scale and bias constants of one number per channel (both or the bias may be missing). It stays as it
is where another node reads a value between x and the result, or where one is an output.

Numerics: bounded: the same formula, its products rounded in another order.
"""

from __future__ import annotations

from dataclasses import replace

from mcuc.ir.graph import Graph, Node
from mcuc.ir.types import DType
from mcuc.ops import layer_norm, mean
from mcuc.passes.match import Matcher
from mcuc.passes.spec import Pass


def fuse_layer_norm(graph: Graph) -> Graph:
    """The graph with such nodes joined; the very same object if there are none."""
    match = Matcher(graph)
    nodes = list(graph.nodes)
    for node in graph.nodes:
        found = _normalized(match, node)
        if found is None:
            continue
        x, epsilon = found
        last, scale = _scaled(match, node, "mul")
        last, bias = _scaled(match, last, "add")
        inputs: tuple[int | None, ...] = (x, scale, bias)
        while inputs[-1] is None:
            inputs = inputs[:-1]
        attrs = layer_norm.Attrs(epsilon)
        nodes[nodes.index(last)] = replace(last, op="layer_norm", inputs=inputs, attrs=attrs)
    return graph if nodes == list(graph.nodes) else graph.without_dead(nodes)


def _normalized(match: Matcher, node: Node) -> tuple[int, float] | None:
    """(x, epsilon) of a node that computes (x - mean) / sqrt(variance + epsilon)."""
    (v,) = node.outputs if len(node.outputs) == 1 else (None,)
    if v is None or match.graph.type(v).dtype is not DType.F32:
        return None
    if match.pairwise(v, "div") is node:
        return _of_root(match, node, node.inputs[0], node.inputs[1], "sqrt")
    if node.op == "mul":
        for centered, root in (node.inputs, tuple(reversed(node.inputs))):
            found = _of_root(match, node, centered, root, "rsqrt")
            if found is not None:
                return found
    return None


def _of_root(
    match: Matcher, node: Node, centered: int | None, root: int | None, function: str
) -> tuple[int, float] | None:
    power = match.function(root, function)
    total = None if power is None else match.maker(power.inputs[0], "add")
    summed = None if total is None else match.with_number(total)
    if centered is None or root is None or power is None or total is None or summed is None:
        return None
    variance, epsilon = summed
    average = match.maker(variance, "mean")
    square = None if average is None else average.inputs[0]
    powers = match.function(square, "square"), match.maker(square, "mul")
    squared = next((n for n in powers if n is not None and set(n.inputs) == {centered}), None)
    if average is None or square is None or squared is None or epsilon < 0:
        return None
    x = _centered(match, centered)
    inner = ((root, node), (total.outputs[0], power), (variance, total), (square, average))
    alone = all(match.only(v, reader) for v, reader in inner)
    if x is None or not (alone and match.only(centered, node, squared)):
        return None
    return (x, epsilon) if _is_last_axis(match, average) else None


def _centered(match: Matcher, v: int) -> int | None:
    """The x of v = x - mean(x)."""
    difference = match.pairwise(v, "sub")
    average = None if difference is None else match.maker(difference.inputs[1], "mean")
    if difference is None or average is None or average.inputs[0] != difference.inputs[0]:
        return None
    alone = match.only(average.outputs[0], difference)
    return difference.inputs[0] if alone and _is_last_axis(match, average) else None


def _is_last_axis(match: Matcher, average: Node) -> bool:
    assert isinstance(average.attrs, mean.Attrs) and average.inputs[0] is not None
    rank = len(match.graph.type(average.inputs[0]).shape)
    return average.attrs.keep_dims and [a % rank for a in average.attrs.axes] == [rank - 1]


def _scaled(match: Matcher, node: Node, op: str) -> tuple[Node, int | None]:
    """The node behind, and its constant, where that is a number per channel; else the node."""
    reader = match.reader(node.outputs[0])
    if reader is None or reader.op != op or getattr(reader.attrs, "activation", "") != "none":
        return node, None
    a, b = reader.inputs
    constant = b if a == node.outputs[0] else a
    held = None if constant is None else match.graph.values[constant]
    channels = match.graph.type(node.outputs[0]).shape[-1]
    if held is None or held.const is None or held.const.size != channels:
        return node, None
    return (reader, constant) if held.type.shape[-1:] == (channels,) else (node, None)


FUSE_LAYER_NORM = Pass("fuse-layer-norm", fuse_layer_norm, "bounded")
