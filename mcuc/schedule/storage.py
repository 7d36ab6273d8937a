"""Where values live: alias classes, in-place decisions, lifetimes, buffers.

A value is dense in a buffer, or constant, or (inside a segment) a ring or a box that the segment's
builder owns. Reshapes share their input's buffer; an in-place step takes over its operand's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mcuc.ir.graph import Graph, Node
from mcuc.ir.program import Box, Buffer, Overlap, View
from mcuc.ops import give_rows, spec_of
from mcuc.ops.spec import Hwc

ALIGN = 4


@dataclass
class Storage:
    """Buffers under construction. Times are segment indices; -1 before, `end` after the run."""

    graph: Graph
    end: int
    last_use: dict[int, int]
    root: dict[int, int]
    first_def: dict[int, int] = field(default_factory=dict)
    extra: list[Buffer] = field(default_factory=list)
    trails: list[tuple[int, int, int, int]] = field(default_factory=list)
    outside: frozenset[int] = frozenset()
    fetches: bool = False
    states: dict[int, int] = field(default_factory=dict)
    _dense: dict[int, int] = field(default_factory=dict)

    @property
    def pushed(self) -> frozenset[int]:
        """Inputs whose rows come once and in order, whether or not anything asks for them."""
        return frozenset() if self.fetches else self.outside.intersection(self.graph.inputs)

    @classmethod
    def of(
        cls, graph: Graph, segment_of: dict[int, int], end: int, input_mode: str = "consumed"
    ) -> Storage:
        """Alias classes of reshapes, and when each class is read last.

        Args:
            graph: The graph.
            segment_of: Node index -> time at which it has run.
            end: Number of segments.
            input_mode: Inputs are "consumed" (live to their last use), "kept" to the end, or
                outside all buffers: "streamed" by the application, or fetched from it at "random".
        """
        root = {v: v for v in graph.values}
        for node in graph.nodes:
            source = node.inputs[0] if spec_of(node.op).alias else None
            if source is not None and graph.values[source].const is None:
                root[node.outputs[0]] = root[source]
        storage = cls(graph, end, {}, root)
        for i, node in enumerate(graph.nodes):
            for v in node.inputs:
                if v is not None:
                    storage._use(v, segment_of[i])
            for v in node.outputs:
                storage._use(v, segment_of[i])
        for v in graph.results:
            storage._use(v, end)
        for v in graph.inputs:
            storage._use(v, end if input_mode == "kept" else -1)
            storage.define(v, -1)
        storage.fetches = input_mode == "random"
        taken = [n.outputs[0] for n in graph.nodes if n.op == give_rows.SPEC.name]
        come = graph.inputs if input_mode in ("streamed", "random") else ()
        storage.outside = frozenset((*come, *taken))
        offset = 0
        for state in graph.states:
            storage._use(state.source, end)  # no step writes there
            storage.states[state.source] = offset
            offset += -(-graph.type(state.source).size_bytes // ALIGN) * ALIGN
        return storage

    def _use(self, value: int, time: int) -> None:
        r = self.root[value]
        self.last_use[r] = max(self.last_use.get(r, time), time)

    def define(self, value: int, time: int) -> None:
        """Notes that a value is written from `time` on."""
        r = self.root[value]
        self.first_def[r] = min(self.first_def.get(r, time), time)

    def take_over(self, node: Node, position: int, time: int) -> bool:
        """Lets the node's output use the memory of an operand, if nothing reads it any more."""
        operand, output = node.inputs[position], node.outputs[0]
        if operand is None or self.graph.values[operand].const is not None:
            return False
        source, target = self.root[operand], self.root[output]
        same = self.graph.type(operand).size_bytes == self.graph.type(output).size_bytes
        if not same or source == target or self.last_use[source] != time:
            return False
        for v, r in self.root.items():
            if r == target:
                self.root[v] = source
        self.last_use[source] = max(time, self.last_use.pop(target))
        return True

    def trail(self, output: int, operand: int, distance: int, time: int) -> None:
        """Notes that `output` may grow into `operand`, `distance` bytes below it (see Overlap)."""
        self.trails.append((self.root[output], self.root[operand], distance, time))

    def overlaps(self) -> tuple[Overlap, ...]:
        """The noted pairs whose input dies where the output is born."""
        return tuple(
            Overlap(self._dense[self.root[out]], self._dense[self.root[source]], distance, time)
            for out, source, distance, time in self.trails
            if self.root[out] != self.root[source]
            and self.last_use[self.root[source]] == time
            and self.first_def[self.root[out]] == time
            and self.root[out] in self._dense
            and self.root[source] in self._dense
        )

    def buffer(self, value: int) -> int:
        """Index of the buffer of a value's class."""
        r = self.root[value]
        return self._dense.setdefault(r, len(self._dense))

    def add(self, buffer: Buffer) -> int:
        """Adds a buffer that holds no whole value; indices count on from -1 downwards."""
        self.extra.append(buffer)
        return -len(self.extra)

    def dense(self, value: int, shape: Hwc, batch: int, batched: bool) -> View:
        """The view of a whole value, or of one slice of its batch, as canonical [H, W, C]."""
        v = self.graph.values[value]
        pixel = shape[2] * v.type.dtype.size_bytes
        row = shape[1] * pixel
        offset = batch * shape[0] * row if batched else 0
        state = self.states.get(self.root[value])
        apart = v.const is not None or value in self.outside or state is not None
        return View(
            buffer=None if apart else self.buffer(value),
            offset=offset + (state or 0),
            box=Box.of(shape),
            rows=max(1, shape[0]),
            row_stride=row,
            pixel_stride=pixel,
            const=v.const,
            bits=8 * v.type.dtype.size_bytes,
            state=state is not None,
        )

    def buffers(self) -> tuple[Buffer, ...]:
        """All buffers: dense ones by index, then the extra ones (see `resolve`)."""
        dense = [self._dense_buffer(r) for r in self._dense]
        return (*dense, *self.extra)

    def resolve(self, index: int) -> int:
        """Final index of a buffer returned by `add` or `buffer`."""
        return index if index >= 0 else len(self._dense) - 1 - index

    def _dense_buffer(self, r: int) -> Buffer:
        members = [v for v, other in self.root.items() if other == r]
        size = max(self.graph.type(v).size_bytes for v in members)
        kind = "activation"
        if any(v in self.graph.outputs for v in members):
            kind = "output"
        if any(v in self.graph.inputs for v in members):
            kind = "input"
        wide = max(self.graph.type(v).dtype.size_bytes for v in members)
        return Buffer(
            size_bytes=max(1, size),
            first=self.first_def[r],
            last=self.last_use[r],
            align=max(ALIGN, wide),
            label=self.graph.values[r].name or f"%{r}",
            kind=kind,
        )


def renumber(view: View, storage: Storage) -> View:
    """The view with its buffer's final index."""
    if view.buffer is None:
        return view
    return replace(view, buffer=storage.resolve(view.buffer))
