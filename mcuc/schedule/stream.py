"""Row streaming: the steps of a segment advance together; each keeps the rows still needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcuc.errors import ScheduleError
from mcuc.ir.program import Box, Buffer, Form, Need, Operand, Segment, Step, View
from mcuc.schedule.call import RESIDENT, Caller
from mcuc.schedule.simulate import Actor, Link, ring_rows, rows_made
from mcuc.schedule.spec import Group
from mcuc.schedule.storage import ALIGN, Storage


def build(
    group: Group, callers: Mapping[int, Caller], storage: Storage, time: int
) -> list[Segment]:
    """One segment; values that live only inside it become rings of rows.

    Raises:
        ScheduleError: E303 for a node that cannot advance by rows.
    """
    members = [callers[i] for i in group.nodes]
    for caller in members:
        _check(caller)
    writer = {c.node.outputs[0]: k for k, c in enumerate(members)}
    kept = [_read_later(c, group, callers, storage) for c in members]
    actors = tuple(_actor(c, writer, members, keep) for c, keep in zip(members, kept, strict=True))
    slots, made = ring_rows(actors), rows_made(actors)
    outputs = [
        _output(c, keep, rows, storage, time)
        for c, keep, rows in zip(members, kept, slots, strict=True)
    ]
    steps = []
    for k, caller in enumerate(members):
        operands = []
        for position in caller.kernel.operands:
            value = caller.node.inputs[position]
            source = None if value is None else writer.get(value)
            if source is None:
                view = caller.dense_operand(storage, position)
                operands.append(Operand(view, None, RESIDENT, position))
            else:
                need = _link(caller, position, source, members).need
                operands.append(Operand(outputs[source], source, need, position))
        step = caller.step(storage, time, tuple(operands), outputs[k], keep=kept[k])
        steps.append(_counted(step, made[k]))
    size = 4 * len(steps)
    progress = storage.add(Buffer(size, time, time, ALIGN, "row counters", "progress"))
    return [Segment("stream", tuple(steps), progress)]


def _check(caller: Caller) -> None:
    if caller.kernel.form is Form.WHOLE or caller.spec.assemble or caller.canonical.batch != 1:
        raise ScheduleError(
            "E303",
            f"{caller.node.op} cannot advance by rows",
            loc=caller.node.loc,
            why="its kernel needs whole operands, or it has a batch",
            help="leave this node out of the streamed group",
        )


def _read_later(
    caller: Caller, group: Group, callers: Mapping[int, Caller], storage: Storage
) -> bool:
    """Whether the node's output is wanted outside the segment."""
    value = caller.node.outputs[0]
    root = storage.root[value]
    readers = {i for i, c in callers.items() if value in c.node.inputs}
    aliased = any(r == root and v != value for v, r in storage.root.items())
    wanted = value in storage.graph.outputs or aliased or not readers
    return wanted or not readers <= set(group.nodes)


def _output(caller: Caller, keep: bool, rows: int, storage: Storage, time: int) -> View:
    value = caller.node.outputs[0]
    if keep:
        storage.define(value, time)
        return storage.dense(value, caller.output_shape, 0, True)
    height, width, channels = caller.output_shape
    pixel = channels * caller.site.output.dtype.size_bytes
    rows = min(rows, height)
    label = f"{rows} rows of {storage.graph.values[value].name or f'%{value}'}"
    buffer = storage.add(Buffer(rows * width * pixel, time, time, ALIGN, label, "activation"))
    return View(
        buffer=buffer,
        offset=0,
        box=Box.of(caller.output_shape),
        rows=rows,
        row_stride=width * pixel,
        pixel_stride=pixel,
        bits=8 * caller.site.output.dtype.size_bytes,
    )


def _actor(caller: Caller, writer: Mapping[int, int], members: list[Caller], keep: bool) -> Actor:
    links = []
    for position in caller.kernel.operands:
        value = caller.node.inputs[position]
        if value is not None and value in writer:
            links.append(_link(caller, position, writer[value], members))
    first, end = _rows(caller)
    return Actor(first, end, tuple(links), keep)


def _rows(caller: Caller) -> tuple[int, int]:
    if caller.kernel.form is Form.FOLD:
        return (0, caller.canonical.inputs[caller.kernel.operands[0]][0])
    return (0, caller.output_shape[0])


def _link(caller: Caller, position: int, source: int, members: list[Caller]) -> Link:
    """Which rows of its producer each row of a step reads, as an affine rule or a table."""
    first, end = _rows(caller)
    producer = members[source]
    if producer.kernel.form is Form.FOLD:  # one row, there when the last input row was folded
        limit = _rows(producer)[1]
        return Link(source, Need(0, limit, limit), (0,) * (end - first))
    if caller.kernel.form is Form.FOLD:
        return Link(source, Need(1, 1, end), tuple(range(first, end)))
    _, width, channels = caller.output_shape
    height = producer.output_shape[0]
    ends, oldest = [], []
    for y in range(first, end):
        box = caller.region(Box(y, y + 1, 0, width, 0, channels))[position]
        ends.append(0 if box is None else box.y1)
        oldest.append(height if box is None else box.y0)
    for y in reversed(range(len(oldest) - 1)):  # a later row may reach further back
        oldest[y] = min(oldest[y], oldest[y + 1])
    for y in range(1, len(ends)):
        ends[y] = max(ends[y], ends[y - 1])
    return Link(source, _need(ends, height), tuple(oldest))


def _need(ends: list[int], limit: int) -> Need:
    below = [y for y, rows in enumerate(ends) if rows < limit]
    mul = ends[below[1]] - ends[below[0]] if len(below) > 1 else 1
    add = ends[below[0]] - below[0] * mul if below else limit
    rule = Need(mul, add, limit)
    if all(rule.rows(y, 0) == rows for y, rows in enumerate(ends)):
        return rule
    return Need(0, 0, limit, tuple(ends))


def _counted(step: Step, made: int) -> Step:
    """MACs of the rows that are made: rows that nobody reads are never computed."""
    total = max(1, step.rows[1] - step.rows[0])
    return replace(step, macs=step.macs * made // total)
