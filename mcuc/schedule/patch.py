"""Patches: the last output of a group is cut into a grid; each patch recomputes its halo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcuc.errors import ScheduleError
from mcuc.ir.graph import Graph
from mcuc.ir.program import Box, Buffer, Form, Operand, Segment, Step, View
from mcuc.schedule.call import RESIDENT, Caller
from mcuc.schedule.spec import Group
from mcuc.schedule.storage import ALIGN, Storage


def segment_count(grid: tuple[int, int], nodes: int) -> int:
    """How many segments a patch group becomes: every node once per patch."""
    return grid[0] * grid[1] * nodes


def build(
    group: Group, callers: Mapping[int, Caller], storage: Storage, time: int
) -> list[Segment]:
    """A segment per patch and node.

    Raises:
        ScheduleError: E303 for a node that cannot be cut, or values read from outside the group.
    """
    members = [callers[i] for i in group.nodes]
    refused = refusal(members, group.grid, callers, storage.graph, storage.pushed)
    if refused is not None:
        raise ScheduleError(
            "E303",
            f"{refused[0].node.op} cannot be part of a patch",
            loc=refused[0].node.loc,
            why=refused[1],
            help="choose another group, grid or input mode",
        )
    last = members[-1]
    height, width, _ = last.output_shape
    storage.define(last.node.outputs[0], time)
    segments: list[Segment] = []
    for j in range(group.grid[0]):
        for i in range(group.grid[1]):
            y0, y1 = cut(height, group.grid[0], j)
            x0, x1 = cut(width, group.grid[1], i)
            label = f"patch {j},{i} of {group.grid[0]}x{group.grid[1]}"
            steps = _patch((y0, y1, x0, x1), members, storage, time + len(segments))
            segments += [Segment("patch", (step,), label=label) for step in steps]
    return segments


def cut(size: int, parts: int, k: int) -> tuple[int, int]:
    """Rows or columns [first, end) of part k."""
    return (size * k // parts, size * (k + 1) // parts)


def refusal(
    members: list[Caller],
    grid: tuple[int, int],
    callers: Mapping[int, Caller],
    graph: Graph,
    pushed: frozenset[int] = frozenset(),
) -> tuple[Caller, str] | None:
    """The first node of a group that keeps it from being cut into patches, and why.

    Args:
        members: The group, in order.
        grid: Patches (vertically, horizontally).
        callers: Of all nodes.
        graph: The graph.
        pushed: Inputs whose rows come once.
    """
    nodes = {c.index for c in members}
    made = {c.node.outputs[0]: c for c in members[:-1]}
    inside = set(made)
    read = {v for i, n in enumerate(graph.nodes) if i not in nodes for v in n.inputs}
    read |= set(graph.results)
    height, width, _ = members[-1].output_shape
    for caller in members:
        uncut = caller.kernel.form in (Form.WHOLE, Form.FOLD)
        uncut = uncut or (caller.spec.variadic and not caller.reads_same_pixels)
        if uncut or caller.canonical.batch != 1:
            return caller, "its kernel needs whole operands, or it has a batch"
        values = {p: caller.operand_value(p) for p in caller.kernel.operands}
        if any(v in made and not caller.reads_rows_of(p, made[v]) for p, v in values.items()):
            return caller, "it reads rows of the group with another shape"
        if any(v in pushed for v in caller.node.inputs):
            return caller, "rows that are pushed come once, and patches read some twice"
        if caller.node.outputs[0] in inside & read:
            return caller, "its output is read outside the group"
        if height < grid[0] or width < grid[1]:
            return caller, f"the last output has only {height}x{width} pixels"
    return None


def boxes_of(patch: Box, members: list[Caller]) -> tuple[dict[int, Box], dict[int, int]]:
    """What a patch of the last node's output needs, found from the last node back.

    Returns:
        Value -> its box, inputs of the group included; and value -> the last member that reads it.
    """
    boxes = {members[-1].node.outputs[0]: patch}
    last_read: dict[int, int] = {}
    for k in reversed(range(len(members))):
        caller = members[k]
        regions = caller.region(boxes[caller.node.outputs[0]])
        for position in caller.kernel.operands:
            value, box = caller.operand_value(position), regions[position]
            last_read.setdefault(value, k)
            if box is not None:
                boxes[value] = boxes[value].union(box) if value in boxes else box
    return boxes, last_read


def _patch(
    place: tuple[int, int, int, int], members: list[Caller], storage: Storage, time: int
) -> list[Step]:
    """The steps of one patch, the first at `time`."""
    last = members[-1]
    boxes, last_read = boxes_of(Box(*place, 0, last.output_shape[2]), members)
    views: dict[int, View] = {}
    steps = []
    for k, caller in enumerate(members):
        value = caller.node.outputs[0]
        if caller is last:
            views[value] = _slice(storage.dense(value, caller.output_shape, 0, True), boxes[value])
        else:
            views[value] = _box_buffer(
                caller, boxes[value], storage, time + k, time + last_read[value]
            )
        operands = tuple(
            Operand(_operand(caller, position, views, storage), None, RESIDENT, position)
            for position in caller.kernel.operands
        )
        steps.append(caller.step(storage, time + k, operands, views[value], boxes[value]))
    return steps


def _operand(caller: Caller, position: int, views: Mapping[int, View], storage: Storage) -> View:
    inside = views.get(caller.operand_value(position))
    return caller.dense_operand(storage, position) if inside is None else inside


def _slice(view: View, box: Box) -> View:
    """The part of a dense view that a box covers."""
    offset = box.y0 * view.row_stride + box.x0 * view.pixel_stride
    return replace(view, box=box, rows=box.height, offset=view.offset + offset)


def _box_buffer(caller: Caller, box: Box, storage: Storage, first: int, last: int) -> View:
    elem = caller.site.output.dtype.size_bytes
    pixel = caller.output_shape[2] * elem
    name = storage.graph.values[caller.node.outputs[0]].name
    label = f"{box.height}x{box.width} patch of {name}"
    size = box.height * box.width * pixel
    buffer = storage.add(Buffer(size, first, last, ALIGN, label, "activation"))
    return View(buffer, 0, box, box.height, box.width * pixel, pixel, bits=8 * elem)
