"""One node with its kernel: how steps of it are written, whatever segment they stand in."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Node
from mcuc.ir.program import Box, Buffer, Form, Need, Operand, Params, Step, View, Window
from mcuc.ops.spec import Canonical, Hwc, Kernel, OpSpec, Site
from mcuc.schedule.storage import ALIGN, Storage

RESIDENT = Need(0, 0, 0)
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Call:
    """What a kernel has to do, as the cost model wants it.

    Attributes:
        symbol: The kernel.
        macs, elements: Of all its calls together.
        calls: How often it is called.
    """

    symbol: str
    macs: int
    elements: int
    calls: int


@dataclass(frozen=True, eq=False)
class Caller:
    """A node, what is known of it, and the kernel that runs it."""

    index: int
    node: Node
    spec: OpSpec
    site: Site
    kernel: Kernel

    @functools.cached_property
    def canonical(self) -> Canonical:
        return self.spec.canonical(self.site)

    @functools.cached_property
    def params(self) -> Params:
        return self.kernel.pack(self.site)

    @functools.cached_property
    def window(self) -> Window | None:
        return None if self.kernel.window is None else self.kernel.window(self.site)

    @functools.cached_property
    def macs(self) -> int:
        return self.spec.macs(self.site)

    @property
    def output_shape(self) -> Hwc:
        return self.canonical.output

    def operand_value(self, position: int) -> int:
        value = self.node.inputs[position]
        assert value is not None
        return value

    def region(self, box: Box) -> tuple[Box | None, ...]:
        """Input boxes for an output box, by operand position, clipped to the operands."""
        return self.spec.region(self.site, box)

    @property
    def streams(self) -> bool:
        """Whether its kernel can advance by rows."""
        return self.kernel.form is not Form.WHOLE and self.canonical.batch == 1

    @property
    def advance(self) -> int:
        """Output rows that one unit of advance makes."""
        return 1

    @property
    def units(self) -> int:
        """How many units it advances over: output rows, input rows of a fold, bands of a tile."""
        if self.kernel.form is Form.FOLD:
            return self.canonical.inputs[self.kernel.operands[0]][0]
        return self.lead + -(-self.output_shape[0] // self.advance)

    @property
    def lead(self) -> int:
        """Units before the first output row: a tile fills its lines in them."""
        return 0

    def rows_after(self, units: Rows) -> Rows:
        """Output rows that are there after so many units, for each of an array."""
        return np.clip((units - self.lead) * self.advance, 0, self.output_shape[0])

    def units_for(self, rows: Rows) -> Rows:
        """Units after which so many output rows are there, for each of an array."""
        if self.kernel.form is Form.FOLD:  # one row, there when the last input row was folded
            return np.where(rows > 0, self.units, 0)
        return np.where(rows > 0, self.lead + -(-rows // self.advance), 0)

    def calls(self, units: int) -> list[Call]:
        """What its kernels do when it runs in that many units."""
        height = self.units if self.kernel.form is Form.FOLD else self.output_shape[0]
        rows = units if self.kernel.form in (Form.PIXEL, Form.WHOLE) else height
        calls = rows * (1 + self.border_columns) * self.canonical.batch
        return [Call(self.kernel.symbol, self.macs, self.site.output.elements, calls)]

    @functools.cached_property
    def border_columns(self) -> int:
        """Window form: output columns that are computed by a call of their own."""
        if self.window is None or self.window.edges or self.kernel.form is not Form.WINDOW:
            return 0
        stride, pad, extent = self.window.stride[1], self.window.pad[1], self.window.extent[1]
        columns = self.canonical.inputs[self.kernel.operands[0]][1]
        first, last = -(-pad // stride), (columns - extent + pad) // stride + 1
        width = self.output_shape[1]
        return width - max(0, min(last, width) - min(max(first, 0), width))

    def reads_rows_of(self, position: int, producer: Caller) -> bool:
        """Whether an operand's rows are the rows that its producer writes."""
        return self.canonical.inputs[position] == producer.output_shape

    @functools.cached_property
    def row_reads(self) -> dict[int, tuple[tuple[int, int], ...]]:
        """By run-time operand: which rows [first, end) each unit reads; (height, 0) = none.

        Both bounds are made monotone: `first` of a row is the first row that it or a later one
        reads, `end` the bound of what it or an earlier one has read.
        """
        if self.kernel.form is Form.FOLD:
            rows = tuple((y, y + 1) for y in range(self.units))
            return dict.fromkeys(self.kernel.operands, rows)
        height, width, channels = self.output_shape
        boxes = [self.region(Box(y, y + 1, 0, width, 0, channels)) for y in range(height)]
        reads = {}
        for position in self.kernel.operands:
            limit = self.canonical.inputs[position][0]
            parts = [box[position] for box in boxes]
            first = [limit if part is None else part.y0 for part in parts]
            end = [0 if part is None else part.y1 for part in parts]
            for y in reversed(range(height - 1)):
                first[y] = min(first[y], first[y + 1])
            for y in range(1, height):
                end[y] = max(end[y], end[y - 1])
            reads[position] = tuple(zip(first, end, strict=True))
        return reads

    def row_bytes(self, position: int | None = None) -> int:
        """Bytes of a dense row of an operand, or of the output."""
        if position is None:
            _, width, channels = self.output_shape
            return width * channels * self.site.output.dtype.size_bytes
        _, width, channels = self.canonical.inputs[position]
        return width * channels * self.site.input(position).dtype.size_bytes

    @property
    def reads_same_pixels(self) -> bool:
        """Every run-time operand is a map of the output's height and width."""
        return all(
            self.canonical.inputs[p][:2] == self.output_shape[:2]
            for p in self.kernel.operands
            if self.site.consts[p] is None
        )

    def in_place_on(self, position: int) -> bool:
        """Whether the kernel may write a pixel where, or below where, it reads the same pixel."""
        whole = self.canonical.inputs[position] == self.output_shape
        same = self.row_bytes(position) == self.row_bytes()
        return position in self.kernel.inplace and whole and same

    def dense_operand(self, storage: Storage, position: int, batch: int = 0) -> View:
        """The resident view of an operand, with broadcasts as strides of 0."""
        shape = self.canonical.inputs[position]
        batched = self.canonical.batched[position]
        view = storage.dense(self.operand_value(position), shape, batch, batched)
        return self.repeated(position, view)

    def repeated(self, position: int, view: View) -> View:
        """The view of an operand with a stride of 0 where its one row or column stands for all."""
        shape = self.canonical.inputs[position]
        if self.kernel.form is Form.PIXEL:
            out = self.output_shape
            if shape[0] == 1 and out[0] != 1:
                view = replace(view, row_stride=0, rows=out[0])
            if shape[1] == 1 and out[1] != 1:
                view = replace(view, pixel_stride=0)
                if shape[0] == 1:
                    view = replace(view, row_stride=0, rows=out[0])
        return view

    @functools.cached_property
    def scratch_bytes(self) -> int:
        """Scratch of the kernel, accumulators of a fold included."""
        own = self.kernel.scratch(self.site) if self.kernel.scratch else 0
        return own + self.lasting_bytes

    @property
    def lasting_bytes(self) -> int:
        """Bytes that it has to itself as long as its segment runs: accumulators, lines."""
        return self.kernel.acc_bytes(self.site) if self.kernel.acc_bytes else 0

    def step(
        self,
        storage: Storage,
        time: int,
        operands: tuple[Operand, ...],
        output: View,
        box: Box | None = None,
        batch: int = 0,
        keep: bool = True,
        scratch: int | None = None,
    ) -> Step:
        """A step on a box of the output (default: all of it); its scratch lives at `time`.

        Args:
            storage: Gets the scratch buffer.
            time: Segment.
            operands, output: Views.
            box: Rows and columns to produce.
            batch: Which element of the batch.
            keep: All rows are wanted after the segment.
            scratch: A buffer that is large enough, shared with other steps.
        """
        shape = self.output_shape
        if box is None:
            box = Box.of(shape)
        share = box.height * box.width, max(1, shape[0] * shape[1])
        return Step(
            node=self.index,
            symbol=self.kernel.symbol,
            source=self.kernel.source,
            form=self.kernel.form,
            params=self.params,
            inputs=operands,
            output=output,
            box=box,
            shape=shape,
            in_shape=self.canonical.inputs[self.kernel.operands[0]],
            window=self.window,
            scratch=self._scratch(storage, time, self.scratch_bytes)
            if scratch is None
            else scratch,
            elem_bytes=self.site.output.dtype.size_bytes,
            batch=batch,
            keep=keep,
            macs=self.macs // self.canonical.batch * share[0] // share[1],
        )

    def _scratch(self, storage: Storage, time: int, size: int) -> int | None:
        if size == 0:
            return None
        label = f"scratch of {self.node.op} {self.index}"
        return storage.add(Buffer(size, time, time, ALIGN, label, "scratch"))
