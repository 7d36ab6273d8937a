"""The constant tables of a model: data, parameter records, views, steps, segments."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.errors import InternalError
from mcuc.ir.program import Form, Params, Program, Step, View
from mcuc.plan.problem import MemoryPlan
from mcuc_codegen.literals import array_initializer, c_type, comment, integer, real


@dataclass(frozen=True)
class DataTable:
    """One array in flash. Equal arrays are stored once."""

    name: str
    c_type: str
    length: int
    initializer: str
    size_bytes: int
    crc32: int
    note: str


@dataclass(frozen=True)
class Record:
    """One structure constant: `static const <type> <name> = <text>;`."""

    c_type: str
    name: str
    text: str


@dataclass(frozen=True)
class SegmentTable:
    """Steps of one C segment, in the program's order."""

    first_step: int
    count: int
    progress: str
    note: str


class Tables:
    """Collects what the steps of a program refer to, and writes it as C initializers."""

    def __init__(self, program: Program, plan: MemoryPlan, prefix: str) -> None:
        self.program = program
        self.plan = plan
        self.prefix = prefix
        self.data: list[DataTable] = []
        self.params: list[Record] = []
        self.tiles: list[Record] = []
        self.operands: list[Record] = []
        self.windows: list[Record] = []
        self.steps: list[str] = []
        self.segments: list[SegmentTable] = []
        self.regions = [i for i, used in enumerate(plan.used_bytes) if used]
        self._data_names: dict[tuple[str, bytes], str] = {}
        self._record_names: dict[tuple[str, str], str] = {}
        self._build()

    @property
    def max_kernel_rows(self) -> int:
        windows = [s.window for s in self.program.leaves() if s.form is Form.WINDOW]
        return max((w.kernel[0] for w in windows if w is not None), default=1)

    @property
    def max_regions(self) -> int:
        """Base addresses of a run: the used regions, and those of what lies outside the plan."""
        return max(1, len(self.regions) + self.program.outside_regions)

    @property
    def size_bytes(self) -> int:
        """Of all constant data."""
        return sum(table.size_bytes for table in self.data)

    def array(self, array: npt.NDArray[np.generic], note: str) -> str:
        """Name of the table that holds an array."""
        flat = np.ascontiguousarray(array)
        key = (flat.dtype.name, flat.tobytes())
        if key not in self._data_names:
            name = f"{self.prefix}_data_{len(self.data)}"
            self._data_names[key] = name
            self.data.append(
                DataTable(
                    name=name,
                    c_type=c_type(flat),
                    length=flat.size,
                    initializer=array_initializer(flat),
                    size_bytes=flat.nbytes,
                    crc32=zlib.crc32(key[1]),
                    note=comment(note),
                )
            )
        return self._data_names[key]

    def _record(self, into: list[Record], kind: str, c_name: str, text: str) -> str:
        key = (c_name, text)
        if key not in self._record_names:
            name = f"{self.prefix}_{kind}_{len(into)}"
            self._record_names[key] = name
            into.append(Record(c_name, name, text))
        return self._record_names[key]

    def _build(self) -> None:
        for segment in self.program.segments:
            lone = segment.kind != "stream"
            for i, step in enumerate(segment.steps):
                if lone or i == 0:
                    progress = "{0, 0, 0}"
                    if segment.progress is not None:
                        progress = self._buffer_place(segment.progress, 0)
                    count = 1 if lone else len(segment.steps)
                    note = f"{segment.kind} {segment.label}".strip()
                    self.segments.append(SegmentTable(len(self.steps), count, progress, note))
                self.steps.append(self._step(step, len(self.steps)))

    def _step(self, step: Step, number: int) -> str:
        node = self.program.graph.nodes[step.node]
        label = f"{node.op} {node.loc.tensor}".strip()
        operands = self._record(
            self.operands, "operands", "mcuc_operand", self._operands(step, label)
        )
        window = tile = "0"
        if step.window is not None:
            text = self._window(step)
            window = "&" + self._record(self.windows, "window", "mcuc_window", text)
        scratch, kernel, params = "{0, 0, 0}", step.symbol, "0"
        if step.scratch is not None:
            scratch = self._buffer_place(step.scratch, step.scratch_offset)
        output = step.output
        if step.parts:
            kernel, tile = "0", "&" + self._tile(step, number)
        elif step.form is Form.GIVE:
            kernel, scratch = "0", f"{{0, 0, {self.max_regions - 1}}}"
            output = step.inputs[0].view  # the rows that go are those that are read
        else:
            params = "&" + self.params_name(step.params, label)
        first, end = step.rows
        return "\n".join(
            [
                f"  {{ /* {number}: {comment(label)} */",
                f"    .form = mcuc_form_{step.form.value}, .kernel = {kernel},",
                f"    .params = {params}, .tile = {tile},",
                f"    .in = {operands}, .window = {window},",
                f"    .out = {self._view(output, label)},",
                f"    .y0 = {first}, .y1 = {end}, .x0 = {step.box.x0}, .x1 = {step.box.x1},",
                f"    .out_pixel_bytes = {step.box.channels * step.elem_bytes},",
                f"    .scratch = {scratch}, .n_in = {len(step.inputs)},",
                f"    .fold = {int(step.form is Form.FOLD)}, .keep = {int(step.keep)},"
                f" .id = {number} }},",
            ]
        )

    def _tile(self, step: Step, number: int) -> str:
        """Name of the record of a chain; its parts carry the number of the step."""
        parts = "\n".join(self._step(part, number) for part in step.parts)
        chain = self._record(self.tiles, "chain", "mcuc_step", f"[] = {{\n{parts}\n}}")
        lines = "0"
        if any(part.line for part in step.parts):
            views = [
                self._view(part.line, "line") if part.line else "{{0, 0, 0}, 0, 0, 0, 0, 0}"
                for part in step.parts
            ]
            text = "[] = {\n   " + ",\n   ".join(views) + "\n}"
            lines = self._record(self.tiles, "lines", "mcuc_view", text)
        rows, columns = step.block
        text = f" = {{{chain}, {lines}, {len(step.parts)}, {rows}, {columns}, {step.lead}}}"
        return self._record(self.tiles, "tile", "mcuc_tile", text)

    def params_name(self, params: Params, label: str) -> str:
        """Name of the constant record for a kernel's parameters."""
        members = []
        for member, value in params.fields.items():
            if isinstance(value, np.ndarray):
                text = self.array(value, f"{label}: {member}") if value.size else "0"
            elif isinstance(value, float):
                text = real(value)
            else:
                text = integer(int(value))
            members.append(f".{member} = {text}")
        lines = "".join(f"\n  {member}," for member in members)
        return self._record(self.params, "params", params.struct, f"{{{lines}\n}}")

    def _operands(self, step: Step, label: str) -> str:
        rows = []
        for operand in step.inputs:
            need = operand.need
            table = "0"
            if need.table:
                table = self.array(np.array(need.table, np.uint16), f"{label}: rows needed")
            producer: int | str = "MCUC_RESIDENT"
            if operand.outside and self.program.pushes:
                producer = "MCUC_PUSHED"
            elif operand.producer is not None:
                producer = operand.producer
            rows.append(
                f"{{{self._view(operand.view, label)}, {producer},"
                f" {need.mul}, {need.add}, {need.limit}, {table}}}"
            )
        return "{" + ",\n   ".join(rows) + "}"

    def _window(self, step: Step) -> str:
        w = step.window
        if w is None:
            raise InternalError("E902", "a step has no window")
        inner = step.inner_columns
        height, width, _ = step.in_shape
        numbers = [
            *(height, width),
            *(w.kernel[0], w.stride[0], w.dilation[0], w.pad[0]),
            *(w.kernel[1], w.stride[1], w.dilation[1], w.pad[1]),
            *inner,
        ]
        return "{" + ", ".join(integer(n) for n in numbers) + "}"

    def _view(self, view: View, label: str) -> str:
        if view.const is not None:
            name = self.array(view.const, f"{label}: constant operand")
            elem = view.const.dtype.itemsize
            address = name if view.offset == 0 else f"{name} + {view.offset // elem}"
            place = f"{{{address}, 0, 0}}"
        else:
            # state, or an input outside the plan, lies in a region of its own
            place = f"{{0, {view.offset if view.state else 0}, {len(self.regions)}}}"
            if view.buffer is not None:
                place = self._buffer_place(view.buffer, view.offset)
        return (
            f"{{{place}, {view.box.y0}, {view.box.x0}, {view.rows},"
            f" {view.row_stride}, {view.pixel_stride}}}"
        )

    def _buffer_place(self, buffer: int, offset: int) -> str:
        region, at = self.place(buffer, offset)
        return f"{{0, {at}, {region}}}"

    def place(self, buffer: int, offset: int) -> tuple[int, int]:
        """(index among the used regions, byte offset) of a byte of a buffer."""
        placement = self.plan.placements[buffer]
        return self.regions.index(placement.region), placement.offset + offset
