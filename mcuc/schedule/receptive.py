"""What an output pixel sees of the input, and what it costs to cut a network into patches there.

Windows are those of interior pixels: an op of window k (dilation included), stride s and operand
window w with jump j has the window w + (k - 1) j and the jump s j. The costs of a cut are counted
on the very boxes that the schedule `patch:PxP@INDEX` executes, clipped at the borders of every map.

Live bytes are MCUNetV2's model (Lin et al., NeurIPS 2021): operands and output of a layer and
whatever else is alive; a depthwise layer works in place, what is added to a skip is summed into it;
no scratch, no other overlap, no alignment.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mcuc.ir.graph import Graph
from mcuc.ir.program import Box, Form
from mcuc.ops import spec_of
from mcuc.schedule.call import Caller
from mcuc.schedule.patch import boxes_of, cut, refusal

Pair = tuple[int, int]  # vertical, horizontal


@dataclass(frozen=True)
class Field:
    """What one output pixel of an op sees.

    Attributes:
        window: Input rows and columns, not clipped to the image.
        jump: Input rows and columns from one output pixel to the next.
    """

    window: Pair
    jump: Pair


@dataclass(frozen=True)
class Cut:
    """The network up to a node in a grid of patches, the rest layer by layer.

    Attributes:
        node: Index of the last node of the patched stage.
        patches: P, of P x P.
        window: Input rows and columns of the largest patch inside the image.
        needed, executed: MACs of the stage, layer by layer and in patches.
        tile_bytes: The most that is live within a patch, the stage's output apart.
        map_bytes: The stage's output.
        rest_bytes: The most that is live behind the stage.
        savings: By node with a halo: MACs that the stage would take less without it.
    """

    node: int
    patches: int
    window: Pair
    needed: int
    executed: int
    tile_bytes: int
    map_bytes: int
    rest_bytes: int
    savings: Mapping[int, int]

    @property
    def peak_bytes(self) -> int:
        return max(self.tile_bytes + self.map_bytes, self.rest_bytes)

    @property
    def overhead(self) -> float:
        """Executed MACs for each that is needed."""
        return self.executed / max(1, self.needed)


def fields(
    graph: Graph, callers: Mapping[int, Caller], without: Collection[int] = ()
) -> dict[int, Field | None]:
    """Node -> its field; None where a pixel sees a whole map, or has no single window.

    The nodes `without` count as if they saw no more than their stride.
    """
    seen: dict[int, Field | None] = {v: Field((1, 1), (1, 1)) for v in graph.inputs}
    result: dict[int, Field | None] = {}
    for i, node in enumerate(graph.nodes):
        if i not in callers:
            # Another shape of the same elements has other rows; only sizes of 1 may come and go.
            source = node.inputs[0]
            field = seen.get(source) if source is not None else None
            same = source is not None and _shape(graph, source) == _shape(graph, node.outputs[0])
            result[i] = field if same else None
        else:
            operands = [
                seen[v]
                for position in callers[i].kernel.operands
                if (v := node.inputs[position]) is not None and graph.values[v].const is None
            ]
            result[i] = _through(callers[i], operands, i in without)
        seen.update(dict.fromkeys(node.outputs, result[i]))
    return result


def _shape(graph: Graph, value: int) -> tuple[int, ...]:
    return graph.type(value).nhwc


def window_of(caller: Caller) -> tuple[Pair, Pair] | None:
    """Extent and stride of a node's window; None where there is none."""
    if caller.kernel.form is Form.WINDOW and caller.window is not None:
        return caller.window.extent, caller.window.stride
    if caller.kernel.form is Form.PIXEL or caller.spec.variadic:
        return ((1, 1), (1, 1)) if caller.reads_same_pixels else None
    return None


def _through(caller: Caller, operands: Sequence[Field | None], bare: bool) -> Field | None:
    geometry = window_of(caller)
    known = [field for field in operands if field is not None]
    if geometry is None or len(known) < len(operands) or len({f.jump for f in known}) != 1:
        return None
    (extent, stride), jump = geometry, known[0].jump
    extent = stride if bare else extent
    return Field(
        (
            max(f.window[0] for f in known) + (extent[0] - 1) * jump[0],
            max(f.window[1] for f in known) + (extent[1] - 1) * jump[1],
        ),
        (jump[0] * stride[0], jump[1] * stride[1]),
    )


def stage_of(graph: Graph, callers: Mapping[int, Caller], node: int, p: int) -> list[Caller] | None:
    """The nodes up to `node` if p x p patches can end there."""
    members = [callers[i] for i in range(node + 1) if i in callers]
    if node not in callers or refusal(members, (p, p), callers, graph) is not None:
        return None
    return members


def cuts(graph: Graph, callers: Mapping[int, Caller], p: int) -> dict[int, Cut]:
    """Node -> the cut behind it, for all nodes where p x p patches can end."""
    found = {node: cut_at(graph, callers, node, p) for node in range(len(graph.nodes))}
    return {node: made for node, made in found.items() if made is not None}


def cut_at(graph: Graph, callers: Mapping[int, Caller], node: int, p: int) -> Cut | None:
    """The cut behind a node, or None where p x p patches cannot end."""
    members = stage_of(graph, callers, node, p)
    field = fields(graph, callers)[node]
    if members is None or field is None:
        return None
    executed = executed_macs(members, p)
    bare = {c.index: executed - executed_macs(members, p, {c.index}) for c in members if halo(c)}
    live = live_bytes(graph, callers)
    return Cut(
        node=node,
        patches=p,
        window=patch_window(field, members[-1], p),
        needed=sum(c.macs for c in members),
        executed=executed,
        tile_bytes=_tile_bytes(members, p),
        map_bytes=members[-1].site.output.size_bytes,
        rest_bytes=max((size for i, size in live.items() if i > node), default=0),
        savings={i: macs for i, macs in bare.items() if macs > 0},
    )


def patch_window(field: Field, last: Caller, p: int) -> Pair:
    """Input rows and columns that an inner patch reads: one of floor(size / p) output pixels."""
    (height, width, _), window, jump = last.output_shape, field.window, field.jump
    return (
        window[0] + (height // p - 1) * jump[0],
        window[1] + (width // p - 1) * jump[1],
    )


def least(found: Mapping[int, Cut]) -> Cut | None:
    """The cut with the lowest peak, then the least recomputation, then the smallest map."""

    def order(c: Cut) -> tuple[int, int, int]:
        return c.peak_bytes, c.executed - c.needed, c.map_bytes

    return min(found.values(), key=order, default=None)


def movable(made: Cut, callers: Mapping[int, Caller]) -> tuple[int, ...]:
    """Nodes of the stage whose kernel costs MACs and could as well stand behind the cut: stride 1.

    MCUNetV2 calls that redistribution; most saving first.
    """
    found = [i for i in made.savings if (window_of(callers[i]) or ((), ()))[1] == (1, 1)]
    return tuple(sorted(found, key=lambda i: -made.savings[i]))


def halo(caller: Caller) -> bool:
    """Whether neighbouring output pixels read some input pixels both."""
    geometry = window_of(caller)
    return geometry is not None and any(k > s for k, s in zip(*geometry, strict=True))


def executed_macs(members: list[Caller], p: int, without: Collection[int] = ()) -> int:
    """MACs of a stage in p x p patches; the nodes `without` see no more than their stride."""
    height, width, channels = members[-1].output_shape
    rows = dict.fromkeys((c.index for c in members), 0)
    columns = dict(rows)
    for k in range(p):  # rows of a box depend on rows alone, columns on columns
        patch = Box(*cut(height, p, k), *cut(width, p, k), 0, channels)
        boxes = _boxes(patch, members, without)
        for caller in members:
            box = boxes[caller.node.outputs[0]]
            rows[caller.index] += box.height
            columns[caller.index] += box.width
    return sum(
        c.macs * rows[c.index] * columns[c.index] // max(1, c.output_shape[0] * c.output_shape[1])
        for c in members
    )


def _boxes(patch: Box, members: list[Caller], without: Collection[int]) -> dict[int, Box]:
    if not without:
        return boxes_of(patch, members)[0]
    stand_ins = [
        _Bare(c.index, c.node, c.spec, c.site, c.kernel) if c.index in without else c
        for c in members
    ]
    return boxes_of(patch, stand_ins)[0]


class _Bare(Caller):
    """A node whose window is no larger than its stride."""

    def region(self, box: Box) -> tuple[Box | None, ...]:
        inputs, (height, width, _) = self.canonical.inputs, self.output_shape
        return tuple(
            Box(
                box.y0 * h // height, -(-box.y1 * h // height),
                box.x0 * w // width, -(-box.x1 * w // width), 0, c,
            )
            if position in self.kernel.operands
            else None
            for position, (h, w, c) in enumerate(inputs)
        )  # fmt: skip


def live_bytes(graph: Graph, callers: Mapping[int, Caller]) -> dict[int, int]:
    """Node -> bytes live while it runs layer by layer."""
    last: dict[int, int] = {}
    root = {v: v for v in graph.values}
    for i, node in enumerate(graph.nodes):
        if spec_of(node.op).alias and node.inputs[0] is not None:
            root[node.outputs[0]] = root[node.inputs[0]]
        last.update({root[v]: i for v in (*node.inputs, *node.outputs) if v is not None})
    last.update({root[v]: len(graph.nodes) for v in graph.outputs})
    live = {root[v] for v in graph.inputs}
    summed = _summed([callers[i] for i in sorted(callers)])
    result = {}
    for i, node in enumerate(graph.nodes):
        live |= {root[v] for v in node.outputs}
        if i in callers:
            sizes = {v: graph.type(v).size_bytes for v in live - summed}
            result[i] = sum(sizes.values()) - _shared(node.op, [sizes.get(root[v], 0) for v in
                (node.inputs[0], node.outputs[0]) if v is not None])  # fmt: skip
        live = {v for v in live if last[v] > i}
    return result


def _shared(op: str, sizes: list[int]) -> int:
    """Bytes that an op's operand and output have in common."""
    return min(sizes) if op == "depthwise_conv2d" else 0


def _summed(members: list[Caller]) -> set[int]:
    """Values that are added to an older one and read by nothing else: they never exist apart."""
    made = {c.node.outputs[0]: k for k, c in enumerate(members)}
    readers = [v for c in members for v in c.node.inputs]
    result = set()
    for caller in members:
        a, b = (*caller.node.inputs, None)[:2]
        if caller.node.op == "add" and a is not None and b is not None:
            later = max(a, b, key=lambda v: made.get(v, -1))
            alike = caller.canonical.inputs[0] == caller.canonical.inputs[1]
            if alike and later in made and readers.count(later) == 1:
                result.add(later)
    return result


def _tile_bytes(members: list[Caller], p: int) -> int:
    """The most that is live within any patch; the stage's own output is counted elsewhere."""
    height, width, channels = members[-1].output_shape
    most = 0
    for j in range(p):
        for i in range(p):
            patch = Box(*cut(height, p, j), *cut(width, p, i), 0, channels)
            boxes, last = boxes_of(patch, members)
            size = {v: _bytes(v, box, members) for v, box in boxes.items()}
            size.update(dict.fromkeys((members[-1].node.outputs[0], *_summed(members)), 0))
            made = {members[k].node.outputs[0]: k for k in range(len(members))}
            for k, caller in enumerate(members):
                live = [v for v in size if made.get(v, -1) <= k <= last.get(v, len(members))]
                pair = [size[caller.operand_value(caller.kernel.operands[0])],
                        size[caller.node.outputs[0]]]  # fmt: skip
                most = max(most, sum(size[v] for v in live) - _shared(caller.node.op, pair))
    return most


def _bytes(value: int, box: Box, members: list[Caller]) -> int:
    for caller in members:
        if value in caller.node.outputs:
            return box.height * box.width * box.channels * caller.site.output.dtype.size_bytes
        if value in caller.node.inputs:
            type_ = caller.site.inputs[caller.node.inputs.index(value)]
            return box.height * box.width * box.channels * (type_.dtype.size_bytes if type_ else 1)
    return 0
