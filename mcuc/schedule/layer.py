"""Layer by layer: one step over the whole map for each slice of the batch."""

from __future__ import annotations

from collections.abc import Mapping

from mcuc.errors import ScheduleError
from mcuc.ir.program import Form, Operand, Segment, Step
from mcuc.schedule.call import RESIDENT, Caller
from mcuc.schedule.spec import Group
from mcuc.schedule.storage import Storage


def build(
    group: Group, callers: Mapping[int, Caller], storage: Storage, time: int
) -> list[Segment]:
    """One segment for the group's node, its steps over the slices of the batch."""
    (index,) = group.nodes
    caller = callers[index]
    if any(v in storage.pushed for v in caller.node.inputs):
        raise ScheduleError(
            "E304",
            "an input that comes in rows must begin a streamed segment",
            help="stream the first layers, or use --input-mode random, consumed or kept",
        )
    for position in caller.kernel.inplace:
        whole = caller.canonical.inputs[position] == caller.output_shape
        if whole and storage.take_over(caller.node, position, time):
            break
    storage.define(caller.node.outputs[0], time)
    if caller.kernel.form is not Form.WHOLE:
        _note_trails(caller, storage, time)
    return [Segment("layer", tuple(_slices(caller, storage, time)))]


def _note_trails(caller: Caller, storage: Storage, time: int) -> None:
    """How far below each operand the output may lie."""
    if caller.canonical.batch != 1:
        return
    for position in caller.kernel.operands:
        value = caller.node.inputs[position]
        if value is None or storage.graph.values[value].const is not None:
            continue
        if value in storage.outside:
            continue
        out_row, in_row = caller.row_bytes(), caller.row_bytes(position)
        if caller.kernel.form is Form.FOLD:  # written when everything has been read
            distance = out_row - caller.canonical.inputs[position][0] * in_row
        elif caller.in_place_on(position):
            distance = 0
        else:
            reads = caller.row_reads[position]
            distance = max((y + 1) * out_row - first * in_row for y, (first, _) in enumerate(reads))
        storage.trail(caller.node.outputs[0], value, distance, time)


def _slices(caller: Caller, storage: Storage, time: int) -> list[Step]:
    steps = []
    for batch in range(caller.canonical.batch):
        operands = tuple(
            Operand(caller.dense_operand(storage, position, batch), None, RESIDENT, position)
            for position in caller.kernel.operands
        )
        output = storage.dense(caller.node.outputs[0], caller.output_shape, batch, True)
        steps.append(caller.step(storage, time, operands, output, batch=batch))
    return steps
