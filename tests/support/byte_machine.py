"""Executes a plan on real data, byte by byte: which reads find other bytes than were written?

Written apart from `mcuc.plan.validate` and the simulation that sizes rings: there are no owners and
no tokens here but the reference's own bytes, put where the plan says, pixel by pixel, in the order
of runtime_c/driver/run.c. A read that finds other bytes is lost data.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array
from mcuc.ir.program import Box, Form, Operand, Program, Segment, Step, View
from mcuc.ops import spec_of
from mcuc.ops.spec import Site
from mcuc.plan.problem import MemoryPlan
from tests.support.cases import fill

Bytes = npt.NDArray[np.uint8]


def losses(program: Program, plan: MemoryPlan, seed: int = 0) -> int:
    """Number of reads that find something else than what was written for them."""
    from mcuc.ops.interpret import run_reference

    rng = np.random.default_rng(seed)
    graph = program.graph
    inputs = [fill(rng, graph.type(v), "random") for v in graph.inputs]
    truth = run_reference(graph, inputs, program.numerics, keep_all=True)
    machine = _Machine(program, plan, truth, rng)
    machine.run()
    return machine.lost


class _Machine:
    def __init__(
        self,
        program: Program,
        plan: MemoryPlan,
        truth: dict[int, Array],
        rng: np.random.Generator,
    ) -> None:
        self.program, self.plan, self.truth, self.rng = program, plan, truth, rng
        # Room on both sides: a plan that leaves its region damages nothing but this.
        self.margin = 1 << 16
        self.ram = [rng.integers(0, 256, used + 2 * self.margin, np.uint8)
                    for used in plan.used_bytes]  # fmt: skip
        self.lost = 0
        self.made: list[int] = []

    def run(self) -> None:
        for port in self.program.inputs:
            self._write(port.view, self.truth[port.value], port.view.box)
        for segment in self.program.segments:
            self._segment(segment)
        for port in self.program.outputs:
            self._check(port.view, self.truth[port.value], port.view.box)

    def _segment(self, segment: Segment) -> None:
        self.made = [step.rows[0] for step in segment.steps]
        if segment.kind != "stream":
            for k, step in enumerate(segment.steps):
                while self.made[k] < step.rows[1]:
                    self._row(step, k)
            return
        for goal in reversed(range(len(segment.steps))):
            if segment.steps[goal].keep:
                self._make(segment, goal, segment.steps[goal].rows[1])

    def _make(self, segment: Segment, k: int, end: int) -> None:
        """Rows of step k up to `end`; what they need first, one row of the neediest at a time."""
        while self.made[k] < end:
            at = k
            while (other := self._missing(segment, at)) is not None:
                at = other
            self._row(segment.steps[at], at)

    def _missing(self, segment: Segment, k: int) -> int | None:
        step = segment.steps[k]
        for operand in step.inputs:
            source = operand.producer
            if source is not None:
                need = operand.need
                y = self.made[k]
                rows = need.table[y - step.rows[0]] if need.table else min(
                    need.mul * y + need.add, need.limit)  # fmt: skip
                if self.made[source] < rows:
                    return source
        return None

    def _row(self, step: Step, k: int) -> None:
        y = self.made[k]
        if step.form is Form.WHOLE:
            self.made[k] = step.rows[1]
        else:
            self.made[k] += 1
        node = self.program.graph.nodes[step.node]
        spec, site = spec_of(node.op), Site.of(self.program.graph, node, self.program.numerics)
        result = self._slice(node.outputs[0], step.shape, step.batch, spec.assemble is not None)
        if step.form is Form.FOLD:
            self._fold(step, y, result)
            return
        self._disturb(step)
        boxes = [Box.of(step.shape)]
        if step.form is not Form.WHOLE:
            boxes = [Box(y, y + 1, x, x + 1, 0, step.shape[2])
                     for x in range(step.box.x0, step.box.x1)]  # fmt: skip
        for box in boxes:
            if spec.assemble is not None:
                regions: dict[int, Box | None] = {step.inputs[0].position: box}
            elif step.form is Form.WHOLE:
                shapes = spec.canonical(site).inputs
                regions = {o.position: Box.of(shapes[o.position]) for o in step.inputs}
            else:
                regions = dict(enumerate(spec.region(site, box)))
            self._reads(step, regions)
            if spec.assemble is None:
                self._write(step.output, result, box)
            else:  # the slice of the output is what the operand holds
                operand = step.inputs[0]
                value = node.inputs[operand.position]
                assert value is not None
                data = self._slice(value, step.in_shape, step.batch, False)
                self._write(step.output, data, box)

    def _fold(self, step: Step, y: int, result: Bytes) -> None:
        assert step.scratch is not None
        area = self._scratch(step)
        pattern = np.arange(area.size, dtype=np.uint64) * 37 + step.node
        if y == step.rows[0]:
            area[:] = pattern.astype(np.uint8)
        elif (area != pattern.astype(np.uint8)).any():
            self.lost += 1
        _, width, channels = step.in_shape
        (operand,) = step.inputs
        self._reads(step, {operand.position: Box(y, y + 1, 0, width, 0, channels)})
        if y + 1 == step.rows[1]:
            self._write(step.output, result, Box.of(step.shape))

    def _reads(self, step: Step, regions: dict[int, Box | None]) -> None:
        node = self.program.graph.nodes[step.node]
        site = Site.of(self.program.graph, node, self.program.numerics)
        canonical = spec_of(node.op).canonical(site)
        for operand in step.inputs:
            box, value = regions[operand.position], node.inputs[operand.position]
            if box is None or value is None or operand.view.const is not None:
                continue
            shape = canonical.inputs[operand.position]
            batched = canonical.batched[operand.position]
            if spec_of(node.op).assemble is not None:
                shape, batched = step.in_shape, True
            self._check(operand.view, self._slice(value, shape, step.batch, not batched), box)

    def _slice(self, value: int, shape: tuple[int, int, int], batch: int, shared: bool) -> Bytes:
        """Bytes [H, W, C * bytes per element] of a slice of the batch of the true tensor."""
        array = np.ascontiguousarray(self.truth[value])
        every = array.view(np.uint8) if array.ndim else array.reshape(1).view(np.uint8)
        height, width, channels = shape
        if height * width * channels == 0 or shared and array.size != height * width * channels:
            return every.reshape(-1)[:0].reshape(0, 0, 0)
        maps = every.reshape(-1, height, width, channels * array.itemsize)
        return maps[0 if shared else batch]

    def _scratch(self, step: Step) -> Bytes:
        assert step.scratch is not None
        place = self.plan.placements[step.scratch]
        start = self.margin + place.offset
        return self.ram[place.region][start : start + self.program.buffers[step.scratch].size_bytes]

    def _disturb(self, step: Step) -> None:
        if step.scratch is not None:
            area = self._scratch(step)
            area[:] = self.rng.integers(0, 256, area.size, np.uint8)

    def _pieces(self, view: View, data: Bytes | Array, box: Box) -> list[tuple[Bytes, Bytes]]:
        """(memory, true bytes) of every pixel of a box."""
        if view.buffer is None:
            return []
        raw = _as_map(data, view)
        place = self.plan.placements[view.buffer]
        base = self.margin + place.offset + view.offset
        ram = self.ram[place.region]
        size = raw.shape[2]
        pieces = []
        for y in range(box.y0, box.y1):
            for x in range(box.x0, box.x1):
                at = base + (y - view.box.y0) % view.rows * view.row_stride
                at += (x - view.box.x0) * view.pixel_stride
                sy, sx = min(y, raw.shape[0] - 1), min(x, raw.shape[1] - 1)
                pieces.append((ram[at : at + size], raw[sy, sx]))
        return pieces

    def _write(self, view: View, data: Bytes | Array, box: Box) -> None:
        for memory, true in self._pieces(view, data, box):
            memory[:] = true

    def _check(self, view: View, data: Bytes | Array, box: Box) -> None:
        self.lost += sum((m != true).any() for m, true in self._pieces(view, data, box))


def _as_map(data: Bytes | Array, view: View) -> Bytes:
    """The bytes of a tensor as [H, W, bytes of a pixel]."""
    if data.dtype == np.uint8 and data.ndim == 3:
        return data
    height, width = view.box.height, view.box.width
    return np.ascontiguousarray(data).view(np.uint8).reshape(height, width, -1)


__all__ = ["losses", "Operand"]
