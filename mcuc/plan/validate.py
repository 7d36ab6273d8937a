"""Independent check of a memory plan: the program is executed row by row on a map of who owns each
byte.

Shares no code with the solvers, nor with the simulation that sizes rings and distances. Every row
written takes its bytes; every row read must still own them. So an overlap that is allowed to exist
is proven harmless, and any other is found where it hurts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mcuc.errors import InternalError
from mcuc.ir.program import Box, Form, Operand, Program, Segment, Step, View
from mcuc.ops import spec_of
from mcuc.ops.spec import OpSpec, Site
from mcuc.plan.problem import MemoryPlan

MOST_REPORTED = 10
_LOGICAL_BITS = 40  # bytes of a tensor, counted as if no ring ever wrapped

Bytes = npt.NDArray[np.int64]


def validate(program: Program, plan: MemoryPlan) -> None:
    """Raises InternalError E910 unless every read finds what was written for it."""
    problems = _outside(program, plan)
    if not problems:
        machine = _Machine(program, plan)
        machine.run()
        problems = machine.problems
    if problems:
        raise InternalError(
            "E910", "the memory plan is wrong", why="; ".join(problems[:MOST_REPORTED])
        )


def _outside(program: Program, plan: MemoryPlan) -> list[str]:
    problems = []
    for buffer, placement in zip(program.buffers, plan.placements, strict=True):
        end = placement.offset + buffer.size_bytes
        if placement.offset < 0 or end > plan.used_bytes[placement.region]:
            problems.append(f"{buffer.label} lies outside its region")
        if placement.offset % buffer.align:
            problems.append(f"{buffer.label} is misaligned")
    for region, used in zip(program.target.regions, plan.used_bytes, strict=True):
        if used > region.size_bytes:
            problems.append(f"region {region.name} overflows")
    return problems


class _Machine:
    """The owner of every byte, while the program runs."""

    def __init__(self, program: Program, plan: MemoryPlan) -> None:
        self.program = program
        self.plan = plan
        self.owner = [np.full(used, -1, np.int64) for used in plan.used_bytes]
        self.problems: list[str] = []
        self.names: dict[tuple[int, int], int] = {}
        self.kept: dict[int, int] = {}  # by node of a tile with lines: rows of it made so far
        self.root = {v: v for v in program.graph.values}
        for node in program.graph.nodes:
            source = node.inputs[0] if spec_of(node.op).alias else None
            if source is not None:
                self.root[node.outputs[0]] = self.root[source]

    def run(self) -> None:
        rolling = self.program.rolling
        for port in (*self.program.inputs, *(before for before, _ in rolling)):
            self._rows(port.value, port.view, port.view.box, write=True)
        for number, segment in enumerate(self.program.segments):
            accumulators: set[int] = set()
            self.kept.clear()
            self._counters(segment, start=True)
            for step, row in _calls(segment):
                self._call(step, row, f"segment {number}, row {row}", accumulators)
                self._counters(segment)
        for port in (*self.program.outputs, *(after for _, after in rolling)):
            if port.view.const is None:
                self._rows(port.value, port.view, port.view.box, write=False, where="the end")

    def _call(self, step: Step, row: int, where: str, accumulators: set[int]) -> None:
        node = self.program.graph.nodes[step.node]
        where = f"{where}: {node.op} {step.node}"
        self._scratch(step, row, where, accumulators)  # in use before everything is read
        reads: list[tuple[Operand, list[tuple[int, Bytes]]]] = []
        for leaf, operand, box in self._reads(step, row, where):
            value = self.program.graph.nodes[leaf.node].inputs[operand.position]
            if value is not None and box is not None and operand.view.const is None:
                taken = self._rows(value, operand.view, box, write=False, where=where)
                reads.append((operand, taken))
        if step.form is Form.FOLD and row + 1 < step.rows[1]:
            return
        written = self._rows(node.outputs[0], step.output, _written(step, row), write=True)
        self._hazards(step, reads, written, where)
        area, token = self._scratch_of(step)
        if (area != token).any():
            self._problem(f"{where} writes its output on its scratch")

    def _reads(
        self, step: Step, row: int, where: str
    ) -> Iterator[tuple[Step, Operand, Box | None]]:
        """(step or part of it, operand, box read) of what lies outside the step."""
        if step.form is not Form.TILE:
            for operand, box in _operands(step, row, *self._op(step)):
                yield step, operand, box
            return
        ends = _made_by(step, row)
        rows = step.output_rows(row)
        for i in reversed(range(len(step.parts))):
            part = step.parts[i]
            spec, site = self._op(part)
            if part.line is not None:
                rows = self._with_lines(part, part.line, rows, ends[i], where)
            if rows[0] == rows[1]:
                continue
            box = Box(*rows, 0, part.shape[1], 0, part.shape[2])
            boxes = spec.region(site, box)
            rows = (0, 0)
            for operand in part.inputs:
                needed = boxes[operand.position]
                if operand.producer is None:
                    yield part, operand, needed
                elif needed is not None:
                    rows = (needed.y0, needed.y1)
                    room = operand.view.rows
                    if operand.producer != i - 1 or rows[1] - rows[0] > room:
                        self._problem(f"{where}: a part reads more rows than its tile has")

    def _with_lines(
        self, part: Step, line: View, read: tuple[int, int], end: int, where: str
    ) -> tuple[int, int]:
        """The rows that a part makes in a band by whose end it has made `end`; others that are
        read must still be in its lines, and the newest ones go there.
        """
        value = self.program.graph.nodes[part.node].outputs[0]
        made = self.kept.get(part.node, 0)
        whole = Box.of(part.shape)
        if read[0] < min(made, read[1]):
            old = replace(whole, y0=read[0], y1=min(made, read[1]))
            if old.y0 < made - line.rows or max(made, read[1]) > max(made, end):
                self._problem(f"{where}: a part reads rows that its lines have no more")
            self._rows(value, line, old, write=False, where=where)
        if end > made:
            new = replace(whole, y0=max(made, end - line.rows), y1=end)
            self._rows(value, line, new, write=True)
            self.kept[part.node] = end
        return (made, max(made, end))

    def _op(self, step: Step) -> tuple[OpSpec, Site]:
        node = self.program.graph.nodes[step.node]
        return spec_of(node.op), Site.of(self.program.graph, node, self.program.numerics)

    def _hazards(
        self,
        step: Step,
        reads: list[tuple[Operand, list[tuple[int, Bytes]]]],
        written: list[tuple[int, Bytes]],
        where: str,
    ) -> None:
        """Rows read and written by one call are apart, but for operands that allow it."""
        if step.form is Form.FOLD or not written:
            return  # reads are over when it writes
        kernels = spec_of(self.program.graph.nodes[step.node].op).kernels
        inplace = {p for k in kernels if k.symbol == step.symbol for p in k.inplace}
        out = np.concatenate([places for _, places in written])
        region = written[0][0]
        for operand, taken in reads:
            if not taken or taken[0][0] != region:
                continue
            read = np.concatenate([places for _, places in taken])
            if np.intersect1d(out, read, assume_unique=True).size == 0:
                continue
            below = out.size == read.size and bool((out <= read).all())
            if not (operand.position in inplace and below):
                self._problem(f"{where} overwrites what it reads")

    def _scratch_of(self, step: Step) -> tuple[Bytes, int]:
        """The owners of the step's scratch bytes, and the token that is its own."""
        if step.scratch is None:
            return np.empty(0, np.int64), -1
        placement = self.plan.placements[step.scratch]
        size = self.program.buffers[step.scratch].size_bytes
        return self.owner[placement.region][placement.offset :][:size], -2 - step.scratch

    def _scratch(self, step: Step, row: int, where: str, accumulators: set[int]) -> None:
        if step.scratch is None:
            return
        area, token = self._scratch_of(step)
        if step.form is Form.FOLD and step.scratch in accumulators and (area != token).any():
            self._problem(f"{where}: accumulators were overwritten")
        accumulators.add(step.scratch)
        area[:] = token

    def _counters(self, segment: Segment, start: bool = False) -> None:
        """Row counters live through their segment; nothing but the loop writes them."""
        if segment.progress is None:
            return
        placement = self.plan.placements[segment.progress]
        token = -2 - segment.progress
        area = self.owner[placement.region][placement.offset :][: 4 * len(segment.steps)]
        if start:
            area[:] = token
        elif (area != token).any():
            self._problem(f"row counters of {segment.label or segment.kind} were overwritten")

    def _rows(
        self, value: int, view: View, box: Box, write: bool, where: str = ""
    ) -> list[tuple[int, Bytes]]:
        """Writes or checks the rows of a box; returns (region, physical bytes) per row."""
        if view.buffer is None:
            return []
        name = self.names.setdefault((view.buffer, self.root[value]), len(self.names))
        placement = self.plan.placements[view.buffer]
        limit = placement.offset + self.program.buffers[view.buffer].size_bytes
        elem = self.program.graph.type(value).dtype.size_bytes
        columns = _columns(view, box, elem)
        result = []
        for y in range(box.y0, box.y1):
            logical = view.offset + (y - view.box.y0) * view.row_stride
            slot = view.offset + (y - view.box.y0) % view.rows * view.row_stride
            places = placement.offset + slot + columns
            tokens = (name << _LOGICAL_BITS) + logical + columns
            if places.size and (places[0] < placement.offset or places[-1] >= limit):
                self._problem(f"{where} reaches outside {self.program.buffers[view.buffer].label}")
                return []
            owner = self.owner[placement.region]
            if write:
                owner[places] = tokens
            elif (owner[places] != tokens).any():
                label = self.program.buffers[view.buffer].label
                self._problem(f"{where} reads row {y} of {label}, which is not there any more")
            result.append((placement.region, places))
        return result

    def _problem(self, text: str) -> None:
        if len(self.problems) < MOST_REPORTED:
            self.problems.append(text)


def _made_by(step: Step, unit: int) -> list[int]:
    """By part of a tile: rows that there are after a unit, if it keeps them in lines."""
    end = min((unit + 1 - step.lead) * step.block[0], step.shape[0])
    ends = [end]
    for part, before in zip(step.parts[:0:-1], step.parts[-2::-1], strict=True):
        if part.window is not None:
            first = (end - 1) * part.window.stride[0] - part.window.pad[0]
            end = first + part.window.extent[0]
        end = min(end, before.shape[0])
        ends.append(end)
    return ends[::-1]


def _columns(view: View, box: Box, elem: int) -> Bytes:
    """Byte offsets of the box's columns and channels within a row, each once, ascending."""
    width = 1 if view.pixel_stride == 0 else box.width
    first = (box.x0 - view.box.x0) * view.pixel_stride + box.c0 * elem
    pixels = np.arange(width, dtype=np.int64)[:, None] * view.pixel_stride
    return (first + pixels + np.arange(box.channels * elem, dtype=np.int64)).reshape(-1)


def _operands(
    step: Step, row: int, spec: OpSpec, site: Site
) -> Iterator[tuple[Operand, Box | None]]:
    for operand in step.inputs:
        shape = spec.canonical(site).inputs[operand.position]
        whole = Box.of(shape)
        if step.form is Form.WHOLE:
            yield operand, whole
        elif step.form is Form.FOLD:
            yield operand, Box(row, row + 1, 0, shape[1], 0, shape[2])
        else:
            out = Box(row, row + 1, step.box.x0, step.box.x1, 0, step.shape[2])
            yield operand, spec.region(site, out)[operand.position]


def _written(step: Step, row: int) -> Box:
    height, width, channels = step.shape
    if step.form is Form.WHOLE:
        return Box.of(step.shape)
    if step.form is Form.FOLD:
        return Box(0, height, 0, width, 0, channels)
    return Box(*step.output_rows(row), step.box.x0, step.box.x1, 0, channels)


def _calls(segment: Segment) -> Iterator[tuple[Step, int]]:
    """(step, row) in the order of runtime_c/driver/run.c."""
    steps = segment.steps
    if segment.kind != "stream":
        for step in steps:
            rows = range(step.rows[0], step.rows[0] + 1)
            yield from ((step, y) for y in (rows if step.form is Form.WHOLE else range(*step.rows)))
        return
    made = [step.rows[0] for step in steps]
    for goal in range(len(steps) - 1, -1, -1):
        while steps[goal].keep and made[goal] < steps[goal].rows[1]:
            at = goal
            while (waits := _waits_for(steps, made, at)) is not None:
                at = waits
            yield steps[at], made[at]
            made[at] += 1


def _waits_for(steps: tuple[Step, ...], made: list[int], at: int) -> int | None:
    for operand in steps[at].inputs:
        if operand.producer is not None:
            wanted = operand.need.rows(made[at], steps[at].rows[0])
            if made[operand.producer] < wanted:
                return operand.producer
    return None
