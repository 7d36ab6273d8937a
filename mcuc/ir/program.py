"""Program: how a graph is computed. Twin of the tables in runtime_c/include/mcuc/program.h.

Steps own the physical facts (bits, layout, packed weights, quantization); a graph node may appear
in several steps. Coordinates are rows and columns of a step's canonical [H, W, C] tensors, strides
and sizes are bytes.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from mcuc.ir.graph import Array, Graph
from mcuc.ir.target import Target


class Form(enum.Enum):
    """The forms of kernel calls. The value names driver/<value>.c and `mcuc_form_<value>`.

    No kernel has the forms of the border: with FETCH a step calls a kernel of the form PIXEL on
    rows that it asks the application for; with GIVE it hands rows to the application, and calls
    none.
    """

    PIXEL = "pixel"
    WINDOW = "window"
    ROWS = "rows"
    FOLD = "fold"
    TILE = "tile"
    WHOLE = "whole"
    FETCH = "fetch"
    GIVE = "give"


@dataclass(frozen=True)
class Box:
    """Half-open ranges of rows, columns and channels of a canonical tensor."""

    y0: int
    y1: int
    x0: int
    x1: int
    c0: int
    c1: int

    @classmethod
    def of(cls, shape: tuple[int, int, int]) -> Box:
        """The box of a whole [H, W, C] tensor."""
        return cls(0, shape[0], 0, shape[1], 0, shape[2])

    @property
    def height(self) -> int:
        return self.y1 - self.y0

    @property
    def width(self) -> int:
        return self.x1 - self.x0

    @property
    def channels(self) -> int:
        return self.c1 - self.c0

    def union(self, other: Box) -> Box:
        """The smallest box around both."""
        return Box(
            min(self.y0, other.y0),
            max(self.y1, other.y1),
            min(self.x0, other.x0),
            max(self.x1, other.x1),
            min(self.c0, other.c0),
            max(self.c1, other.c1),
        )

    def contains(self, other: Box) -> bool:
        return self.union(other) == self


@dataclass(frozen=True)
class Buffer:
    """A piece of RAM to be placed by the plan.

    Attributes:
        size_bytes: Size.
        first, last: Segments during which it lives, inclusive; -1 = before the run, and the number
            of segments = after it.
        align: Alignment in bytes, a power of two.
        label: For reports: what it holds.
        kind: "activation", "input", "output", "scratch" or "progress".
        regions: Names of the RAM regions it may be placed in; empty = any.
    """

    size_bytes: int
    first: int
    last: int
    align: int
    label: str
    kind: str
    regions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """An output that may grow into the space that a dying input leaves, row by row.

    Both live in `segment`, the input's last and the output's first. They are apart as usual, or
    offset(source) - offset(out) >= distance: then no row is written that is still to be read.

    Attributes:
        out, source: Indices of buffers.
        distance: Bytes; may be negative.
        segment: When.
    """

    out: int
    source: int
    distance: int
    segment: int


@dataclass(frozen=True)
class View:
    """A box of a tensor in memory.

    Attributes:
        buffer: Index of a buffer of the program; None for constant data, for state, for an input
            that the application delivers and for an output that it takes.
        offset: Bytes from the buffer's start to the box's origin.
        box: The box held, in tensor coordinates.
        rows: Row slots; row y stands in slot (y - box.y0) % rows.
        row_stride, pixel_stride: Bytes; 0 broadcasts.
        const: Constant data instead of a buffer, shape of the canonical tensor.
        layout: "hwc" or "hcw".
        bits: Bits per element.
        state: It lies in the memory that outlives a run; `offset` counts from its start.
    """

    buffer: int | None
    offset: int
    box: Box
    rows: int
    row_stride: int
    pixel_stride: int
    const: Array | None = None
    layout: str = "hwc"
    bits: int = 8
    state: bool = False


@dataclass(frozen=True)
class Need:
    """Which rows of a producer a step's row y waits for: below min(y * mul + add, limit), or below
    table[y - first row] where the rule is not affine.
    """

    mul: int
    add: int
    limit: int
    table: tuple[int, ...] = ()

    def rows(self, y: int, first: int) -> int:
        return self.table[y - first] if self.table else min(y * self.mul + self.add, self.limit)


@dataclass(frozen=True)
class Operand:
    """One run-time input of a step.

    Attributes:
        view: Where it is.
        producer: Index of the step in the same segment that writes it, or None.
        need: The wait rule; unused when resident.
        position: Index into the node's inputs.
    """

    view: View
    producer: int | None
    need: Need
    position: int

    @property
    def outside(self) -> bool:
        """It is an input that is in no buffer: the application delivers its rows."""
        return self.view.buffer is None and self.view.const is None and not self.view.state


@dataclass(frozen=True)
class Window:
    """Geometry of a window op (see `mcuc_window`), without the physical columns split.

    Attributes:
        kernel, stride, dilation, pad: (vertical, horizontal); pad = rows above, columns left.
        edges: The kernel takes whole rows, windows that reach over their ends included.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    pad: tuple[int, int] = (0, 0)
    edges: bool = False

    @property
    def extent(self) -> tuple[int, int]:
        """Input rows and columns spanned by one window."""
        return (
            (self.kernel[0] - 1) * self.dilation[0] + 1,
            (self.kernel[1] - 1) * self.dilation[1] + 1,
        )

    def reads(self, out: tuple[int, int], size: int, axis: int) -> tuple[int, int]:
        """Which of `size` rows (axis 0) or columns (axis 1) the outputs [first, end) read."""
        if out[0] == out[1]:
            return out
        first = out[0] * self.stride[axis] - self.pad[axis]
        end = (out[1] - 1) * self.stride[axis] - self.pad[axis] + self.extent[axis]
        first = min(max(0, first), size)
        return (first, max(first, min(end, size)))


ParamValue = int | float | npt.NDArray[np.generic]


@dataclass(frozen=True)
class Proof:
    """What a packer has shown of a layer's constants, without which its kernel would not be exact.

    Attributes:
        claim: One of the words of docs/report.md, "proofs".
        outputs: Of how many outputs (channels, units) it was shown.
        least, most: The numbers, accumulators if nothing else is said, for all of which it holds.
    """

    claim: str
    outputs: int
    least: int
    most: int


@dataclass(frozen=True)
class Params:
    """A kernel's parameter record: one C struct.

    Attributes:
        struct: C type name, declared in `header`.
        header: Path below runtime_c/src, for example "conv2d/conv2d.h".
        fields: C member -> number, or array (emitted as a constant table, pointed to).
        proofs: What the record relies on.
    """

    struct: str
    header: str
    fields: Mapping[str, ParamValue]
    proofs: tuple[Proof, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", MappingProxyType(dict(self.fields)))


@dataclass(frozen=True)
class Step:
    """One call site: a kernel on a box of a node's output.

    Attributes:
        node: Index of the graph node.
        symbol, source: Kernel name and file (below runtime_c/src).
        form: Form of the kernel.
        params: The kernel's record.
        inputs: Run-time operands in the kernel's order.
        output: Where the rows go.
        box: Rows and columns of the node's output to produce.
        shape: Canonical [H, W, C] of the node's output (of batch element `batch`).
        in_shape: Canonical [H, W, C] of the first operand.
        window: Window form: geometry. Fold form: kernel = the folded map.
        scratch: Buffer index or None.
        scratch_offset: Bytes from the buffer's start to the step's part of it.
        elem_bytes: Size of an output element.
        batch: Which element of the batch.
        keep: All rows are wanted after the segment.
        macs: Multiply-accumulates that executing the step takes.
        made: Units that it advances over; None = all. A stream makes no row that nobody reads.
        parts: Tile form: the chain of steps; a part's operand with a producer is what the part
            before it writes. The views between them are those of a block at (0, 0).
        block: Tile form: rows and columns of the output that are computed at once.
        lead: Tile form: bands before the first row of the output, which only fill lines.
        line: Part of a tile: where rows of its output are kept from band to band.
    """

    node: int
    symbol: str
    source: str
    form: Form
    params: Params
    inputs: tuple[Operand, ...]
    output: View
    box: Box
    shape: tuple[int, int, int]
    in_shape: tuple[int, int, int]
    window: Window | None
    scratch: int | None
    elem_bytes: int
    batch: int = 0
    keep: bool = True
    macs: int = 0
    made: int | None = None
    parts: tuple[Step, ...] = ()
    block: tuple[int, int] = (1, 1)
    lead: int = 0
    line: View | None = None
    scratch_offset: int = 0

    @property
    def rows_made(self) -> int:
        """How many rows of the output (of a fold: of the input) are made."""
        units = self.rows[1] - self.rows[0] if self.made is None else self.made
        if self.form is Form.FOLD:
            return units
        return max(0, min((units - self.lead) * self.block[0], self.box.height))

    @property
    def rows(self) -> tuple[int, int]:
        """The range that the step advances over: output rows, input rows of a fold, or bands."""
        if self.form is Form.FOLD:
            return (0, self.in_shape[0])
        if self.form is Form.TILE:
            return (0, self.lead + -(-self.box.height // self.block[0]))
        return (self.box.y0, self.box.y1)

    def output_rows(self, unit: int) -> tuple[int, int]:
        """The output rows that are complete after a unit of `rows`, and were not before it."""
        if self.form is Form.FOLD:
            last = unit + 1 == self.in_shape[0]
            return (0, self.shape[0] if last else 0)
        first = (unit - self.lead) * self.block[0]
        return (max(0, first), max(0, min(first + self.block[0], self.box.y1)))

    @property
    def leaves(self) -> tuple[Step, ...]:
        """The steps that call kernels: the parts of a tile, or itself."""
        return self.parts or (self,)

    @property
    def inner_columns(self) -> tuple[int, int]:
        """Window form: the output columns of the box that go to the kernel a row at a time."""
        if self.window is None or self.window.edges:
            return (self.box.x0, self.box.x1)
        stride, pad = self.window.stride[1], self.window.pad[1]
        first = -(-pad // stride)
        last = (self.in_shape[1] - self.window.extent[1] + pad) // stride + 1
        x0 = min(max(first, self.box.x0), self.box.x1)
        return (x0, max(x0, min(last, self.box.x1)))


@dataclass(frozen=True)
class Segment:
    """Steps that advance together.

    Attributes:
        kind: "layer", "stream" or "patch".
        steps: In dependency order.
        progress: Buffer of int32 counters, None for one step.
        label: For reports, for example the patch's place in the grid.
    """

    kind: str
    steps: tuple[Step, ...]
    progress: int | None = None
    label: str = ""


@dataclass(frozen=True)
class Port:
    """An input or output of the model: where the application finds its elements, dense."""

    value: int
    view: View


@dataclass(frozen=True)
class Kept:
    """State: where a run finds it, and from where it is copied there at the end of the run."""

    place: View
    result: View
    size_bytes: int
    initial: Array


@dataclass(frozen=True)
class Program:
    """Everything that is needed to plan memory and write C.

    Attributes:
        inputs, outputs: Of the application; `rolling` ones are not among them.
        overlaps: Pairs of buffers that need not be apart.
        numerics: Name of the rule set, "litert-2.3" or "tflm".
        states: What outlives a run.
        rolling: Rows of the arena that outlive it: as a run finds and leaves them, in one place.
    """

    graph: Graph
    target: Target
    segments: tuple[Segment, ...]
    buffers: tuple[Buffer, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    overlaps: tuple[Overlap, ...] = ()
    numerics: str = "litert-2.3"
    notes: tuple[str, ...] = field(default=())
    states: tuple[Kept, ...] = ()
    rolling: tuple[tuple[Port, Port], ...] = ()

    @property
    def state_bytes(self) -> int:
        """Memory that outlives a run."""
        return max((s.place.offset + s.size_bytes + 3 & ~3 for s in self.states), default=0)

    @property
    def pushes(self) -> bool:
        """The application pushes the input in rows."""
        return self._outside and not self.fetches

    @property
    def fetches(self) -> bool:
        """The model asks the application for rows of the input."""
        calls = [call for step in self.steps() for call in (step, *step.parts)]
        return any(call.form is Form.FETCH for call in calls)

    @property
    def gives(self) -> bool:
        """The application takes the output row by row."""
        return any(step.form is Form.GIVE for step in self.steps())

    @property
    def outside_regions(self) -> int:
        """Base addresses of a run beside those of the plan's regions: of what comes, and of what
        goes.
        """
        return int(self._outside or bool(self.states)) + int(self.gives)

    @property
    def _outside(self) -> bool:
        return any(operand.outside for step in self.steps() for operand in step.inputs)

    @property
    def window_runs(self) -> int:
        """Runs after which the outputs are those of a whole window; 1 if no window slides."""
        rows = self.graph.type(self.graph.inputs[0]).nhwc[1] if self.graph.window else 1
        return max(1, -(-self.graph.window // rows))

    def steps(self) -> list[Step]:
        """All steps; the index is the step id used in traces."""
        return [step for segment in self.segments for step in segment.steps]

    def leaves(self) -> list[Step]:
        """All steps, with the parts of tiles in their place."""
        return [leaf for step in self.steps() for leaf in step.leaves]

    def kernel_calls(self) -> list[Step]:
        """Every step that calls a kernel."""
        return [leaf for leaf in self.leaves() if leaf.form is not Form.GIVE]
