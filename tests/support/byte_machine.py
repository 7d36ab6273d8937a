"""Executes a plan on real data, byte by byte: which reads find other bytes than were written?

Written apart from `mcuc.plan.validate` and the simulation that sizes rings: there are no owners and
no tokens here but the reference's own bytes, put where the plan says, pixel by pixel, in the order
of runtime_c/driver/run.c. A read that finds other bytes is lost data. For the networks of
tests/support/networks.py: no batch, no concatenation.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Program, Segment, Step, View
from mcuc.ops import spec_of
from mcuc.ops.interpret import run_reference
from mcuc.ops.spec import Site
from mcuc.plan.problem import MemoryPlan
from tests.support.cases import fill

Bytes = npt.NDArray[np.uint8]
COUNTERS = 0xC3  # stands for the row counters, whose values depend on the loop
MARGIN = 1 << 16  # bytes on both sides: what leaves its region damages nothing else


def losses(program: Program, plan: MemoryPlan, seed: int = 0) -> int:
    """Number of pixels read that hold something else than what was written for the reader."""
    rng = np.random.default_rng(seed)
    graph = program.graph
    inputs = [fill(rng, graph.type(v), "random") for v in graph.inputs]
    truth = run_reference(graph, inputs, program.numerics, keep_all=True)
    machine = _Machine(program, plan, truth, rng)
    machine.run()
    return machine.lost


class _Machine:
    def __init__(
        self, program: Program, plan: MemoryPlan, truth: dict[int, Array], rng: np.random.Generator
    ) -> None:
        self.program, self.plan, self.truth, self.rng = program, plan, truth, rng
        self.ram = [rng.integers(0, 256, used + 2 * MARGIN, np.uint8) for used in plan.used_bytes]
        self.lost = 0
        self.made: list[int] = []
        self.lines: dict[int, int] = {}  # rows made of what is kept in lines

    def run(self) -> None:
        for port in self.program.inputs:
            self._write(port.value, port.view, port.view.box)
        for segment in self.program.segments:
            self._segment(segment)
        for port in self.program.outputs:
            self._check(port.value, port.view, port.view.box)

    def _segment(self, segment: Segment) -> None:
        self.made = [step.rows[0] for step in segment.steps]
        counters = None if segment.progress is None else self._scratch(segment.progress)
        if counters is not None:
            counters[:] = COUNTERS
        alone = segment.kind != "stream"
        for goal in range(len(segment.steps)) if alone else reversed(range(len(segment.steps))):
            step = segment.steps[goal]
            while (step.keep or alone) and self.made[goal] < step.rows[1]:
                at = goal
                while (other := self._missing(segment, at)) is not None:
                    at = other
                self._row(segment.steps[at], at)
                if counters is not None:
                    self.lost += int((counters != COUNTERS).any())

    def _missing(self, segment: Segment, k: int) -> int | None:
        """The first producer that is behind what step k reads next."""
        step, y = segment.steps[k], self.made[k]
        for operand in step.inputs:
            need = operand.need
            rows = min(need.mul * y + need.add, need.limit)
            if need.table:
                rows = need.table[y - step.rows[0]]
            if operand.producer is not None and self.made[operand.producer] < rows:
                return operand.producer
        return None

    def _row(self, step: Step, k: int) -> None:
        y, node = self.made[k], self.program.graph.nodes[step.node]
        spec, site = spec_of(node.op), Site.of(self.program.graph, node, self.program.numerics)
        assert step.batch == 0
        self.made[k] = step.rows[1] if step.form is Form.WHOLE else y + 1
        shapes = spec.canonical(site).inputs
        if step.form is Form.FOLD:
            self._accumulate(step, y)
            _, width, channels = step.in_shape
            self._reads(step, [Box(y, y + 1, 0, width, 0, channels)])
            if y + 1 == step.rows[1]:
                self._write(node.outputs[0], step.output, Box.of(step.shape))
            return
        if step.form is Form.TILE:
            self._band(step, y)
            return
        if step.scratch is not None:
            area = self._scratch(step.scratch)
            area[:] = self.rng.integers(0, 256, area.size, np.uint8)
        if step.form is Form.WHOLE:
            self._reads(step, [Box.of(shape) for shape in shapes])
            self._write(node.outputs[0], step.output, Box.of(step.shape))
            return
        for x in range(step.box.x0, step.box.x1):
            pixel = Box(y, y + 1, x, x + 1, 0, step.shape[2])
            self._reads(step, spec.region(site, pixel))
            self._write(node.outputs[0], step.output, pixel)

    def _band(self, step: Step, band: int) -> None:
        """All that a band reads from outside, the last part's first, then its rows."""
        assert step.scratch is not None
        area = self._scratch(step.scratch)
        area[:] = self.rng.integers(0, 256, area.size, np.uint8)
        y0, y1 = step.output_rows(band)
        rows = Box(y0, y1, 0, step.shape[1], 0, step.shape[2])
        output = self.program.graph.nodes[step.node].outputs[0]
        box: Box | None = rows if y1 > y0 else None
        end = (band + 1 - step.lead) * step.block[0]  # rows of the part, as if there were no border
        after: Step | None = None
        for part in reversed(step.parts):
            node = self.program.graph.nodes[part.node]
            if after is not None and after.window is not None:
                window = after.window
                end = (end - 1) * window.stride[0] + window.extent[0] - window.pad[0]
            end, after = min(end, part.shape[0]), part
            if part.line is not None:
                box = self._with_lines(part, part.line, box, end)
            if box is None:
                continue
            site = Site.of(self.program.graph, node, self.program.numerics)
            boxes, box = spec_of(node.op).region(site, box), None
            for operand in part.inputs:
                needed, value = boxes[operand.position], node.inputs[operand.position]
                assert value is not None
                if operand.producer is not None:
                    box = needed and Box(needed.y0, needed.y1, 0, part.in_shape[1], 0, needed.c1)
                elif needed is not None:
                    self._check(value, operand.view, needed)
        for y in range(rows.y0, rows.y1):
            row = Box(y, y + 1, 0, step.shape[1], 0, step.shape[2])
            self._write(output, step.output, row)

    def _with_lines(self, part: Step, line: View, read: Box | None, end: int) -> Box | None:
        """Old rows of what is read from lines, new ones to them; the box of the new ones."""
        value = self.program.graph.nodes[part.node].outputs[0]
        made, all_rows = self.lines.get(part.node, 0), Box.of(part.shape)
        if read is not None and read.y0 < made:
            self._check(value, line, replace(all_rows, y0=read.y0, y1=min(made, read.y1)))
        assert read is None or read.y1 <= max(end, made)
        if end <= made:
            return None
        self._write(value, line, replace(all_rows, y0=max(made, end - line.rows), y1=end))
        self.lines[part.node] = end
        return replace(all_rows, y0=made, y1=end)

    def _accumulate(self, step: Step, y: int) -> None:
        """Accumulators are set at the first row of a fold and are still there at all others."""
        assert step.scratch is not None
        area = self._scratch(step.scratch)
        pattern = (np.arange(area.size) * 37 + step.node).astype(np.uint8)
        if y == step.rows[0]:
            area[:] = pattern
        self.lost += int((area != pattern).any())

    def _reads(self, step: Step, boxes: list[Box] | tuple[Box | None, ...]) -> None:
        node = self.program.graph.nodes[step.node]
        for operand in step.inputs:
            box, value = boxes[operand.position], node.inputs[operand.position]
            if box is not None and value is not None:
                self._check(value, operand.view, box)

    def _scratch(self, index: int) -> Bytes:
        place = self.plan.placements[index]
        start = MARGIN + place.offset
        return self.ram[place.region][start : start + self.program.buffers[index].size_bytes]

    def _pixels(self, value: int, view: View, box: Box) -> list[tuple[Bytes, Bytes]]:
        """(memory, true bytes) of the pixels of a box; nothing for constants."""
        if view.buffer is None:
            return []
        array = np.ascontiguousarray(self.truth[value])
        assert array.ndim == 4 and array.shape[0] == 1
        raw = array.view(np.uint8)[0]
        place = self.plan.placements[view.buffer]
        base = MARGIN + place.offset + view.offset
        pixels = []
        for y in range(box.y0, box.y1):
            row = base + (y - view.box.y0) % view.rows * view.row_stride
            for x in range(box.x0, box.x1):
                at = row + (x - view.box.x0) * view.pixel_stride
                pixels.append((self.ram[place.region][at : at + raw.shape[2]], raw[y, x]))
        return pixels

    def _write(self, value: int, view: View, box: Box) -> None:
        for memory, true in self._pixels(value, view, box):
            memory[:] = true

    def _check(self, value: int, view: View, box: Box) -> None:
        self.lost += sum(int((m != true).any()) for m, true in self._pixels(value, view, box))
