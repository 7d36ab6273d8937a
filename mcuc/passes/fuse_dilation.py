"""Turns a convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND into a dilated one.

    crop(batch_to_space(conv(space_to_batch(pad(x, p), b), w, pads q, dilation d), b), c)
        ->  conv(x, w, pads p + b q - c before, as the size demands behind, dilation b d)

Row i of phase f is row i b + f of the padded map, so that neighbours in a phase are b apart in the
map, and padding of q in each phase is padding of b q. The convolution has stride 1, its input is
quantized as x (which pad fills with the zero point), its result as the last one. Both operators
have come from the frontend as reshapes around a transpose. One axis may have been split alone, with
a reshape to a map around the convolution, as of a convolution over one axis.

Numerics: exact; a float sum begins with 0, so that products with 0 may be left out. Not with int8
weights on float32, where every phase would be quantized with a scale of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcuc.ir.graph import Graph, Node, Value
from mcuc.ir.types import DType, TensorType
from mcuc.ops import reshape, take, transpose
from mcuc.ops.convolution import INPUT, WEIGHTS, ConvAttrs
from mcuc.ops.pad import fill_of, paddings_of
from mcuc.ops.spec import Site
from mcuc.passes.match import Matcher
from mcuc.passes.spec import Pass

# Permutations of both operators: of rows and columns, or of one axis.
_APART = ((2, 4, 0, 1, 3, 5), (2, 0, 1, 3))
_TOGETHER = ((2, 3, 0, 4, 1, 5), (1, 2, 0, 3))

Shape = tuple[int, ...]


@dataclass(frozen=True)
class _Axis:
    """One axis of the map: sizes of x and of the result, block, paddings and crops before it."""

    x: int
    y: int
    block: int
    edge: int
    crop: int

    def pads(self, own: tuple[int, int], kernel: int, dilation: int) -> tuple[int, int]:
        """Paddings of the dilated convolution for those `own` of one in a phase."""
        before = self.edge + self.block * own[0] - self.crop
        window = (kernel - 1) * dilation * self.block + 1
        return before, self.y + window - 1 - self.x - before


def fuse_dilation(graph: Graph) -> Graph:
    """The graph with such operators joined; the very same object if there are none."""
    made: list[Node] = []
    values = dict(graph.values)
    match = Matcher(graph)
    changed = False
    for node in graph.nodes:
        found = _joined(match, node, values)
        changed = changed or found is not None
        made += [node] if found is None else found
    if not changed:
        return graph
    return graph.with_nodes(tuple(made), values).without_dead()


def _joined(match: Matcher, last: Node, values: dict[int, Value]) -> list[Node] | None:
    """A dilated convolution for the last of the nodes; with reshapes where there is one axis."""
    graph = match.graph
    whole, crops = _cropped(graph, last)
    after = _moved(match, whole, _TOGETHER)
    conv = None if after is None else match.maker(after[0], "conv2d", "depthwise_conv2d")
    before = None if conv is None else _moved(match, conv.inputs[INPUT], _APART)
    if after is None or conv is None or before is None or whole is None:
        return None
    padded, split = before
    source, edges = _padded(match, padded)
    x, y = graph.type(source), graph.type(last.outputs[0])
    (n, *mixed, channels), together = split, after[1]
    rank = len(mixed) // 2
    steps, block = mixed[::2], mixed[1::2]
    if list(together[: rank + 1]) != [*block, n]:
        return None
    sizes, kind = together[rank + 1 : -1], graph.type
    batch = n
    for b in block:
        batch *= b
    into, out = conv.inputs[INPUT], conv.outputs[0]
    assert into is not None
    row = rank == 1 and kind(into).shape[1] == 1  # a convolution over one axis: which one it is
    fits = (
        kind(into).shape == (batch, *_map(steps, row), channels)
        and kind(out).shape == (batch, *_map(sizes, row), together[-1])
        and kind(padded).shape == (n, *_times(steps, block), channels)
        and kind(whole).shape == (n, *_times(sizes, block), together[-1])
        and _alike(graph, conv, x, y)
    )
    lists = (x.shape[1:-1], y.shape[1:-1], block, edges[1:-1], crops[1:-1])
    if not fits or edges[0] or edges[-1] or crops[0] or crops[-1]:
        return None
    axes = [_Axis(*numbers) for numbers in zip(*lists, strict=True)]
    attrs = _dilated(graph, conv, axes if rank == 2 else _both(axes[0], row))
    if attrs is None:
        return None
    node = replace(conv, attrs=attrs, inputs=(source, *conv.inputs[1:]), outputs=last.outputs)
    return [node] if rank == 2 else _as_map(graph, node, values, row)


def _map(sizes: Sequence[int], row: bool) -> Shape:
    """Rows and columns; of one axis it is a row or a column."""
    if len(sizes) == 2:
        return tuple(sizes)
    return (1, sizes[0]) if row else (sizes[0], 1)


def _both(axis: _Axis, row: bool) -> list[_Axis]:
    none = _Axis(1, 1, 1, 0, 0)
    return [none, axis] if row else [axis, none]


def _times(sizes: Sequence[int], block: Sequence[int]) -> Shape:
    return tuple(size * b for size, b in zip(sizes, block, strict=True))


def _dilated(graph: Graph, conv: Node, axes: list[_Axis]) -> ConvAttrs | None:
    """The attributes of the dilated convolution; None if it would need negative padding."""
    attrs = conv.attrs
    weights = conv.inputs[WEIGHTS]
    if not isinstance(attrs, ConvAttrs) or attrs.stride != (1, 1) or weights is None:
        return None
    kernel, own = graph.type(weights).shape[1:3], (attrs.pad[:2], attrs.pad[2:])
    pads: list[int] = []
    for k, axis in enumerate(axes):
        pads += axis.pads((own[k][0], own[k][1]), kernel[k], attrs.dilation[k])
    if min(pads) < 0:
        return None
    dilation = (attrs.dilation[0] * axes[0].block, attrs.dilation[1] * axes[1].block)
    return replace(attrs, pad=(pads[0], pads[1], pads[2], pads[3]), dilation=dilation)


def _alike(graph: Graph, conv: Node, x: TensorType, y: TensorType) -> bool:
    """Whether the convolution reads what is quantized as x, gives y, and is not hybrid."""
    read, weights = conv.inputs[INPUT], conv.inputs[WEIGHTS]
    assert read is not None and weights is not None
    hybrid = x.dtype is DType.F32 and graph.type(weights).dtype is not DType.F32
    result = graph.type(conv.outputs[0])
    return graph.type(read).quant == x.quant and result.quant == y.quant and not hybrid


def _as_map(graph: Graph, node: Node, values: dict[int, Value], row: bool) -> list[Node]:
    """The convolution of a tensor of one axis, with reshapes to a map and back."""
    (out,), source = node.outputs, node.inputs[INPUT]
    assert source is not None
    x, y = graph.type(source), graph.type(out)
    given, wide = ((t.shape[0], *_map(t.shape[1:2], row), t.shape[2]) for t in (x, y))
    into = max(values) + 1
    values[into] = Value(replace(x, shape=given), graph.values[source].name)
    values[into + 1] = Value(replace(y, shape=wide), graph.values[out].name)
    return [
        Node("reshape", (source,), (into,), reshape.Attrs(given), node.loc),
        replace(node, inputs=(into, *node.inputs[1:]), outputs=(into + 1,)),
        Node("reshape", (into + 1,), (out,), reshape.Attrs(y.shape), node.loc),
    ]


def _cropped(graph: Graph, node: Node) -> tuple[int | None, list[int]]:
    """What a node crops, and how much before each axis; another node crops nothing."""
    none = [0] * len(graph.type(node.outputs[0]).shape)
    if node.op != "take" or not isinstance(node.attrs, take.Attrs):
        return node.outputs[0], none
    picks = node.attrs.picks
    if any(p is not None and list(p) != list(range(p[0], p[0] + len(p))) for p in picks):
        return None, none
    return node.inputs[0], [0 if pick is None else pick[0] for pick in picks]


def _padded(match: Matcher, v: int) -> tuple[int, list[int]]:
    """What is padded with its zero point to become a value, and by how much before each axis."""
    graph, node = match.graph, match.maker(v, "pad")
    if node is not None and node.inputs[0] is not None:
        site = Site.of(graph, node)
        quant = site.input().quant
        neutral = 0 if quant is None else quant.zero_point
        if fill_of(site)[0] == neutral and quant == site.output.quant:
            pairs = paddings_of(site)
            if not any(pairs[0] + pairs[-1]):
                return node.inputs[0], [before for before, _ in pairs]
    return v, [0] * len(graph.type(v).shape)


def _moved(
    match: Matcher, v: int | None, permutations: tuple[Shape, ...]
) -> tuple[int, Shape] | None:
    """What reshapes around a transpose of one of these permutations move, and its split shape."""
    mover = match.maker(_unshaped(match, v), "transpose")
    if mover is None or not isinstance(mover.attrs, transpose.Attrs) or mover.inputs[0] is None:
        return None
    source = _unshaped(match, mover.inputs[0])
    if mover.attrs.perm not in permutations or source is None:
        return None
    return source, match.graph.type(mover.inputs[0]).shape


def _unshaped(match: Matcher, v: int | None) -> int | None:
    """The value before the reshapes that make another shape of it."""
    while (node := match.maker(v, "reshape")) is not None:
        v = node.inputs[0]
    return v


FUSE_DILATION = Pass("fuse-dilation", fuse_dilation, "exact")
