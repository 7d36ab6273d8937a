"""Removes channels that are constant or that nothing depends on.

    conv(x, w, b), x[c] = k everywhere   ->  conv(x without c, w without c, b'),
    b'[o] = b[o] + (k - z) sum_ij w[o, i, j, c]

and likewise FULLY_CONNECTED, where k is proved by range analysis (mcuc/passes/ranges.py) and either
k = z, the zero point of x, or the convolution does not pad: padding holds z, so that at the borders
the sum is another one. A channel whose weights are 0 in all its readers goes too. The producer of x
computes fewer channels; ops that go channel by channel (depthwise convolutions, pools, additions)
keep the same ones in operands and result.

As many channels stay as fill a word of four, if all did before: kernels want that.

Numerics: exact; additions are modulo 2^32.
"""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, TensorType
from mcuc.ops import convolution, reshape
from mcuc.ops.checks import quant_of
from mcuc.ops.convolution import BIAS, INPUT, WEIGHTS
from mcuc.ops.spec import NUMERICS, Site
from mcuc.passes.ranges import Interval, goes_by_channel, ranges
from mcuc.passes.spec import Pass

Mask = npt.NDArray[np.bool_]
_WORD = 4


def remove_channels(graph: Graph, numerics: str = NUMERICS[0]) -> Graph:
    """The graph without such channels.

    Args:
        graph: A valid graph.
        numerics: Rule set of the ops.
    """
    known = ranges(graph, numerics)
    kept = _kept(graph, known)
    if all(mask.all() for mask in kept.values()):
        return graph
    values = dict(graph.values)
    for v, mask in kept.items():
        if values[v].const is None:
            values[v] = replace(values[v], type=_narrowed(values[v].type, mask, -1))
    nodes = tuple(_rewritten(graph, node, values, kept, known) for node in graph.nodes)
    return graph.with_nodes(nodes, values)


def _kept(graph: Graph, known: dict[int, Interval]) -> dict[int, Mask]:
    """Which channels of each run-time int8 tensor stay: the least that is needed."""
    roots = _tied(graph)
    free: dict[int, Mask] = {}
    for v in known:
        if graph.values[v].const is None:
            free.setdefault(roots[v], np.zeros(graph.type(v).shape[-1], np.bool_))
    for v in _fixed(graph):
        if v in roots and roots[v] in free:
            free[roots[v]][:] = True
    while True:
        before = [mask.copy() for mask in free.values()]
        for node in graph.nodes:
            x = node.inputs[INPUT] if node.inputs else None
            if x is not None and roots[x] in free and _reads_all(graph, node):
                mine = free.get(roots[node.outputs[0]])
                free[roots[x]] |= _needs(graph, node, known[x], mine)
        if all((a == b).all() for a, b in zip(before, free.values(), strict=True)):
            break
    for mask in free.values():
        _fill_word(mask)
    return {v: free[roots[v]] for v in known if graph.values[v].const is None}


def _tied(graph: Graph) -> dict[int, int]:
    """For each value the first of those that must have the same channels."""
    roots = {v: v for v in graph.values}
    for node in graph.nodes:
        if not goes_by_channel(graph, node):
            continue
        tied = {roots[v] for v in (*node.inputs[: _operands(node)], *node.outputs) if v is not None}
        first = min(tied)
        roots = {v: first if root in tied else root for v, root in roots.items()}
    return roots


def _operands(node: Node) -> int:
    """Operands of an op by channel that are maps."""
    return 2 if node.op in ("add", "mul") else 1


def _reads_all(graph: Graph, node: Node) -> bool:
    """A node whose weights say what it needs of its input."""
    if node.op not in ("conv2d", "fully_connected"):
        return False
    site = Site.of(graph, node)
    if site.input(INPUT).dtype is not DType.S8 or site.output.dtype is not DType.S8:
        return False
    return site.input(INPUT).shape[-1] == site.input(WEIGHTS).shape[-1]


def _fixed(graph: Graph) -> set[int]:
    """Values all of whose channels stay."""
    result = {*graph.sources, *graph.results}
    for node in graph.nodes:
        if goes_by_channel(graph, node):
            continue
        if not _reads_all(graph, node):
            result.update(v for v in node.inputs if v is not None)
        if node.op != "conv2d" or not _reads_all(graph, node):
            result.update(node.outputs)
    return result


def _needs(graph: Graph, node: Node, x: Interval, outputs: Mask | None) -> Mask:
    """The channels that a node must read, if it computes those outputs (None: all)."""
    site = Site.of(graph, node)
    weights = _centered(site)
    if outputs is not None and node.op == "conv2d":
        weights = weights[outputs]
    used = (weights != 0).any(axis=(0, 1))
    at_zero = x.low == quant_of(site.input(INPUT)).zero_point
    padded = node.op == "conv2d" and any(convolution.attrs_of(site).pad)
    needed: Mask = used & ~(x.constant & (at_zero | (not padded)))
    return needed


def _centered(site: Site) -> npt.NDArray[np.int64]:
    """Weights without their zero point, [outputs, taps, channels]."""
    weights = site.const(WEIGHTS)
    zero = quant_of(site.input(WEIGHTS)).zero_point
    return weights.reshape(len(weights), -1, weights.shape[-1]).astype(np.int64) - zero


def _fill_word(mask: Mask) -> None:
    """Keeps channels more, up to a whole word.

    Two at least: a single scale would be one of the whole tensor, and could not be negative.
    """
    wanted = max(int(mask.sum()), min(2, len(mask)))
    if len(mask) % _WORD == 0:
        wanted = -(-wanted // _WORD) * _WORD
    mask[np.flatnonzero(~mask)[: wanted - int(mask.sum())]] = True


def _rewritten(
    graph: Graph,
    node: Node,
    values: dict[int, Value],
    kept: dict[int, Mask],
    known: dict[int, Interval],
) -> Node:
    """The node for the narrowed values; new constants go to `values`."""
    out = kept.get(node.outputs[0])
    if node.op == "reshape" and out is not None and not out.all():
        return replace(node, attrs=reshape.Attrs(values[node.outputs[0]].type.shape))
    x = node.inputs[INPUT] if node.inputs else None
    if x is None or x not in kept:
        return node
    if node.op == "depthwise_conv2d" and out is not None:
        return _narrow(graph, node, values, {WEIGHTS: ((3, out),), BIAS: ((0, out),)})
    if not _reads_all(graph, node):
        return node
    rows = out if node.op == "conv2d" and out is not None else None
    node = _folded(graph, node, values, kept[x], known[x])
    axes: dict[int, tuple[tuple[int, Mask], ...]] = {WEIGHTS: ((-1, kept[x]),)}
    if rows is not None:
        axes = {WEIGHTS: ((-1, kept[x]), (0, rows)), BIAS: ((0, rows),)}
    return _narrow(graph, node, values, axes)


def _folded(graph: Graph, node: Node, values: dict[int, Value], kept: Mask, x: Interval) -> Node:
    """The node with what the removed channels contribute in its bias."""
    site = Site.of(graph, node)
    offset = np.where(kept, 0, x.low - quant_of(site.input(INPUT)).zero_point)
    added = _centered(site).sum(axis=1) @ offset
    if not added.any():
        return node
    bias = node.inputs[BIAS] if len(node.inputs) > BIAS else None
    old = None if bias is None else values[bias]
    data = convolution.bias_or_zero(None if old is None else old.const, len(added)) + added
    plain = Value(TensorType((len(added),), DType.S32), "bias")
    new = replace(old or plain, const=convolution.wrap_int32(data).reshape(
        plain.type.shape if old is None else old.type.shape))  # fmt: skip
    values[max(values) + 1] = new
    return replace(node, inputs=(*node.inputs[:BIAS], max(values)))


def _narrow(
    graph: Graph,
    node: Node,
    values: dict[int, Value],
    axes: dict[int, tuple[tuple[int, Mask], ...]],
) -> Node:
    """The node with constant operands cut along axes."""
    inputs = list(node.inputs)
    for position, cuts in axes.items():
        v = inputs[position] if position < len(inputs) else None
        if v is None or all(mask.all() for _, mask in cuts):
            continue
        value = values[v]
        for axis, mask in cuts:
            assert value.const is not None
            value = replace(
                value,
                type=_narrowed(value.type, mask, axis),
                const=np.ascontiguousarray(np.compress(mask, value.const, axis=axis)),
            )
        values[max(values) + 1] = value
        inputs[position] = max(values)
    return replace(node, inputs=tuple(inputs))


def _narrowed(type_: TensorType, mask: Mask, axis: int) -> TensorType:
    """The type with fewer channels on an axis, and with their scales."""
    axis %= len(type_.shape)
    shape = list(type_.shape)
    shape[axis] = int(mask.sum())
    quant = type_.quant
    if quant is not None and quant.axis == axis and len(quant.scales) == len(mask):
        quant = replace(
            quant,
            scales=tuple(s for s, keep in zip(quant.scales, mask, strict=True) if keep),
            zero_points=tuple(z for z, keep in zip(quant.zero_points, mask, strict=True) if keep),
        )
    return replace(type_, shape=tuple(shape), quant=quant)


def remove_channels_pass(numerics: str) -> Pass:
    """The pass for a rule set."""
    return Pass("remove-channels", functools.partial(remove_channels, numerics=numerics), "exact")
