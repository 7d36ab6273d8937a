"""How single ops take a transposition of their operand, by the op's name.

A rule emits the node on the operand as it is in memory and notes how its result is moved; False: it
emitted nothing, and the node is to read its operands in the order that the graph says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mcuc.ir.graph import Node
from mcuc.ops import reshape, take, transpose
from mcuc.ops.spec import Site
from mcuc.passes.lazy import Moved, compose, inverse, moved_shape, through_reshape
from mcuc.passes.moving import Moving

# Read and write one element after another, wherever it stands.
ONE = ("unary", "relu", "logistic", "quantize", "dequantize", "cast")
_LAST_AXIS = ("softmax", "log_softmax", "layer_norm")


def _transpose(m: Moving, node: Node) -> bool:
    x, v = node.inputs[0], node.outputs[0]
    assert x is not None
    perm = transpose.permutation(Site.of(m.graph, node))
    source = m.lazy(x)
    if source is None:
        source = Moved(m.value(x), tuple(range(len(perm))))
    m.note(v, Moved(source.u, compose(source.perm, perm)))
    return True


def _one(m: Moving, node: Node) -> bool:
    source = m.lazy(node.inputs[0])
    if source is None:
        return False
    return m.emit(node, (source.u, *node.inputs[1:]), source.perm)


def _last_axis(m: Moving, node: Node) -> bool:
    source = m.lazy(node.inputs[0])
    if source is None or source.perm[-1] != len(source.perm) - 1:
        return False
    return m.emit(node, (source.u, *node.inputs[1:]), source.perm)


def _batch_matmul(m: Moving, node: Node) -> bool:
    """Operands whose last two axes are swapped are read so."""
    attrs: Any = node.attrs
    inputs = list(node.inputs)
    flips = [False, False]
    for k in range(2):
        source = m.lazy(inputs[k])
        if source is None:
            continue
        rank = len(source.perm)
        if source.perm == (*range(rank - 2), rank - 1, rank - 2):
            inputs[k], flips[k] = source.u, True
    if not any(flips):
        return False
    plain = tuple(
        v if v is None or flip else m.value(v) for v, flip in zip(inputs, flips, strict=True)
    )
    adj = {"adj_a": attrs.adj_a != flips[0], "adj_b": attrs.adj_b != flips[1]}
    m.nodes.append(replace(node, inputs=plain, attrs=replace(attrs, **adj)))
    m.there.update(node.outputs)
    return True


def _pad(m: Moving, node: Node) -> bool:
    source = m.lazy(node.inputs[0])
    if source is None or node.inputs[1] is None:
        return False
    paddings = m.values[node.inputs[1]]
    assert paddings.const is not None
    moved = paddings.const[list(inverse(source.perm))]
    own = m.enter(replace(paddings, const=np.ascontiguousarray(moved)))
    inputs = (source.u, own, *node.inputs[2:])
    return m.emit(node, inputs, source.perm)


def _take(m: Moving, node: Node) -> bool:
    source = m.lazy(node.inputs[0])
    if source is None:
        return False
    assert isinstance(node.attrs, take.Attrs)
    picks = tuple(node.attrs.picks[i] for i in inverse(source.perm))
    return m.emit(node, (source.u,), source.perm, take.Attrs(picks))


def _reduce(m: Moving, node: Node) -> bool:
    """Over the axes of u; what is left of them keeps its order."""
    source = m.lazy(node.inputs[0])
    if source is None:
        return False
    attrs: Any = node.attrs
    rank = len(source.perm)
    gone = {axis % rank for axis in attrs.axes}
    axes = tuple(sorted(source.perm[axis] for axis in gone))
    perm = source.perm
    if not attrs.keep_dims:
        left = [source.perm[i] for i in range(rank) if i not in gone]
        perm = tuple(sorted(left).index(axis) for axis in left)
    return m.emit(node, (source.u,), perm, replace(attrs, axes=axes))


def _reshape(m: Moving, node: Node) -> bool:
    source = m.lazy(node.inputs[0])
    if source is None:
        return False
    (v,) = node.outputs
    x = node.inputs[0]
    assert x is not None
    before = m.graph.type(x).shape
    found = through_reshape(before, source.perm, m.graph.type(v).shape)
    if found is not None:
        shape, perm = found
        u = source.u
        if m.shape(u) != shape:
            u = m.new(v, shape)
            own = (source.u,)
            m.nodes.append(replace(node, inputs=own, outputs=(u,), attrs=reshape.Attrs(shape)))
        m.note(v, Moved(u, perm))
        return True
    if v in m.graph.results or not _only_products(m, v, before[0]):
        return False
    m.flat[v] = source
    return True


def _only_products(m: Moving, v: int, rows: int) -> bool:
    """Whether all readers are products with weights whose columns can be moved."""
    readers = [node for node in m.graph.nodes if v in node.inputs]
    shape = m.graph.type(v).shape
    return (
        len(shape) == 2
        and shape[0] == rows
        and all(node.op == "fully_connected" and node.inputs[0] == v for node in readers)
    )


def _fully_connected(m: Moving, node: Node) -> bool:
    x = node.inputs[0]
    if x in m.flat:
        return _flat_product(m, node, m.flat[x])
    source = m.lazy(x)
    if source is None or source.perm[-1] != len(source.perm) - 1:
        return False
    attrs: Any = node.attrs
    if not attrs.keep_num_dims:
        return False
    return m.emit(node, (source.u, *node.inputs[1:]), source.perm)


def _flat_product(m: Moving, node: Node, source: Moved) -> bool:
    """The columns of the weights in the order of u's elements."""
    x, w = node.inputs[0], node.inputs[1]
    assert x is not None and w is not None
    held = m.values[w]
    if source.perm[0] != 0 or held.const is None:
        return False
    shape = moved_shape(m.shape(source.u), source.perm)
    axes = inverse(source.perm)
    columns = held.const.reshape(len(held.const), *shape[1:]).transpose(axes)
    data = np.ascontiguousarray(columns.reshape(held.const.shape))
    weights = m.enter(replace(held, const=data))
    flat = m.new(x, m.shape(x))
    attrs = reshape.Attrs(m.shape(x))
    m.nodes.append(Node("reshape", (source.u,), (flat,), attrs, m.loc(x)))
    m.nodes.append(replace(node, inputs=(flat, weights, *node.inputs[2:])))
    m.there.update(node.outputs)
    return True


Rule = Callable[[Moving, Node], bool]
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **dict.fromkeys(ONE, _one),
        **dict.fromkeys(_LAST_AXIS, _last_axis),
        "batch_matmul": _batch_matmul,
        "fully_connected": _fully_connected,
        "mean": _reduce,
        "pad": _pad,
        "reduce": _reduce,
        "reshape": _reshape,
        "take": _take,
        "transpose": _transpose,
    }
)
