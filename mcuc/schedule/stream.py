"""Row streaming: the steps of a segment advance together; each keeps the rows still needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mcuc.errors import ScheduleError
from mcuc.ir.program import Box, Buffer, Form, Need, Operand, Segment, Step, View
from mcuc.schedule.call import RESIDENT, Caller
from mcuc.schedule.simulate import Actor, Link, events, ring_rows, units_made
from mcuc.schedule.spec import Group
from mcuc.schedule.storage import ALIGN, Storage


def build(
    group: Group, callers: Mapping[int, Caller], storage: Storage, time: int
) -> list[Segment]:
    """One segment; values that live only inside it become rings of rows.

    Raises:
        ScheduleError: E303 for a node that cannot advance by rows.
    """
    members = [callers[i] for i in group.nodes if i in callers]
    for caller in members:
        _check(caller)
    writer = {c.node.outputs[0]: k for k, c in enumerate(members)}
    for caller in members:
        for position in caller.kernel.operands:
            value = caller.node.inputs[position]
            if value is not None and value in writer:
                _check_shape(caller, position, members[writer[value]])
    kept = [_read_later(c, group, callers, storage) for c in members]
    actors = actors_of(members, kept)
    slots, made = ring_rows(actors), units_made(actors)
    outputs = [
        _output(c, keep, rows, storage, time)
        for c, keep, rows in zip(members, kept, slots, strict=True)
    ]
    scratch = _shared_scratch(members, storage, time)
    steps = []
    for k, caller in enumerate(members):
        operands = []
        for position in caller.kernel.operands:
            value = caller.node.inputs[position]
            source = None if value is None else writer.get(value)
            if source is None:
                view = caller.dense_operand(storage, position)
                height = caller.canonical.inputs[position][0]
                need = Need(1, 1, height) if value in storage.outside else RESIDENT
                operands.append(Operand(view, None, need, position))
            else:
                need = _link(caller, position, source, members).need
                view = caller.repeated(position, outputs[source])
                operands.append(Operand(view, source, need, position))
        own = None if caller.kernel.form is Form.FOLD else scratch
        step = caller.step(storage, time, tuple(operands), outputs[k], keep=kept[k], scratch=own)
        steps.append(_counted(step, made[k]))
    _note_trails(members, actors, kept, writer, storage, time)
    size = 4 * len(steps)
    progress = storage.add(Buffer(size, time, time, ALIGN, "row counters", "progress"))
    return [Segment("stream", tuple(steps), progress)]


def actors_of(members: list[Caller], kept: list[bool]) -> tuple[Actor, ...]:
    """The members as the segment loop sees them."""
    writer = {c.node.outputs[0]: k for k, c in enumerate(members)}
    return tuple(_actor(c, writer, members, keep) for c, keep in zip(members, kept, strict=True))


def _shared_scratch(members: list[Caller], storage: Storage, time: int) -> int | None:
    """One buffer for the scratch of all steps, which run one at a time; accumulators stay apart."""
    sizes = [c.scratch_bytes for c in members if c.kernel.form is not Form.FOLD]
    if not any(sizes):
        return None
    return storage.add(Buffer(max(sizes), time, time, ALIGN, "scratch", "scratch"))


def _note_trails(
    members: list[Caller],
    actors: tuple[Actor, ...],
    kept: list[bool],
    writer: Mapping[int, int],
    storage: Storage,
    time: int,
) -> None:
    """How far below each resident operand each kept output may lie, from the real row order."""
    readers: dict[int, list[tuple[int, int]]] = {}
    for k, caller in enumerate(members):
        for position in caller.kernel.operands:
            value = caller.node.inputs[position]
            if value is None or value in writer or value in storage.outside:
                continue
            if storage.graph.values[value].const is not None:
                continue
            readers.setdefault(value, []).append((k, position))
    outputs = [k for k, keep in enumerate(kept) if keep]
    for value, users in readers.items():
        if len({members[k].row_bytes(position) for k, position in users}) != 1:
            continue  # seen with different shapes: rows of one are not rows of the other
        for k, distance in _distances(members, actors, users, outputs).items():
            storage.trail(members[k].node.outputs[0], value, distance, time)


def _distances(
    members: list[Caller],
    actors: tuple[Actor, ...],
    users: list[tuple[int, int]],
    outputs: list[int],
) -> dict[int, int]:
    """By kept output: the largest lead of what is written over what is still to be read."""
    in_row = members[users[0][0]].row_bytes(users[0][1])
    height = members[users[0][0]].canonical.inputs[users[0][1]][0]
    at = [actor.first for actor in actors]
    result: dict[int, int] = {}
    for i, unit in events(actors):
        if i in outputs:
            folded = members[i].kernel.form is Form.FOLD
            written = 1 if folded else actors[i].rows[unit + 1]
            oldest = height
            for k, position in users:
                if at[k] < actors[k].end:
                    first = members[k].row_reads[position][at[k]][0]
                    if k == i and members[k].in_place_on(position):
                        first = unit + 1  # it may write the row that it reads
                    oldest = min(oldest, first)
            if not folded or unit + 1 == actors[i].end:
                lead = written * members[i].row_bytes() - oldest * in_row
                result[i] = max(result.get(i, lead), lead)
        at[i] += 1
    return result


def _check(caller: Caller) -> None:
    if not caller.streams:
        raise ScheduleError(
            "E303",
            f"{caller.node.op} cannot advance by rows",
            loc=caller.node.loc,
            why="its kernel needs whole operands, or it has a batch",
            help="leave this node out of the streamed group",
        )


def _check_shape(caller: Caller, position: int, producer: Caller) -> None:
    if not caller.reads_rows_of(position, producer):
        raise ScheduleError(
            "E303",
            f"{caller.node.op} cannot advance by the rows of {producer.node.op}",
            loc=caller.node.loc,
            why="it reads them with another shape",
            help="end the streamed group before this node",
        )


def _read_later(
    caller: Caller, group: Group, callers: Mapping[int, Caller], storage: Storage
) -> bool:
    """Whether the node's output is wanted outside the segment."""
    value = caller.node.outputs[0]
    root = storage.root[value]
    readers = {i for i, c in callers.items() if value in c.node.inputs}
    aliased = any(r == root and v != value for v, r in storage.root.items())
    wanted = value in storage.graph.results or aliased or not readers
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
    units = np.arange(caller.units + 1)
    rows = units if caller.kernel.form is Form.FOLD else caller.rows_after(units)
    return Actor(0, caller.units, tuple(links), keep, tuple(int(n) for n in rows))


def _link(caller: Caller, position: int, source: int, members: list[Caller]) -> Link:
    """Which units of its producer each unit of a step reads, as an affine rule or a table."""
    producer = members[source]
    if producer.kernel.form is Form.FOLD:  # one row, there when the last input row was folded
        limit = producer.units
        return Link(source, Need(0, limit, limit), (0,) * caller.units)
    reads = caller.row_reads[position]
    ends = [int(n) for n in producer.units_for(np.array([end for _, end in reads]))]
    return Link(source, _need(ends, producer.units), tuple(first for first, _ in reads))


def _need(ends: list[int], limit: int) -> Need:
    below = [y for y, rows in enumerate(ends) if rows < limit]
    mul = ends[below[1]] - ends[below[0]] if len(below) > 1 else 1
    add = ends[below[0]] - below[0] * mul if below else limit
    rule = Need(mul, add, limit)
    if all(rule.rows(y, 0) == rows for y, rows in enumerate(ends)):
        return rule
    return Need(0, 0, limit, tuple(ends))


def _counted(step: Step, made: int) -> Step:
    """MACs of the units that are made: rows that nobody reads are never computed."""
    total = max(1, step.rows[1] - step.rows[0])
    return replace(step, macs=step.macs * made // total, made=made)
