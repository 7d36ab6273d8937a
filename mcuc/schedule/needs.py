"""The callers of a graph in execution order, and what a run of them is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mcuc.ir.graph import Graph
from mcuc.schedule.call import Caller, Rows
from mcuc.schedule.simulate import ring_rows
from mcuc.schedule.storage import ALIGN, Storage
from mcuc.schedule.stream import actors_of

LONGEST_RUN = 64


@dataclass(frozen=True)
class Run:
    """Callers [first, end) of the execution order as one segment.

    Attributes:
        need_bytes: Estimate of all memory live while it runs.
        work: Predicted instructions.
        macs: Executed.
    """

    first: int
    end: int
    need_bytes: int
    work: int
    macs: int


class Order:
    """The callers in execution order, and which of them writes, reads and outlives what."""

    def __init__(
        self,
        graph: Graph,
        callers: Mapping[int, Caller],
        input_mode: str,
        alike: Order | None = None,
    ) -> None:
        """`alike`: an order with some of the same callers, whose sizes of rings are known."""
        self.graph, self.input_mode = graph, input_mode
        self.callers = [callers[i] for i in range(len(graph.nodes)) if i in callers]
        times: dict[int, int] = {}
        now = 0
        for i in range(len(graph.nodes)):
            times[i] = now
            now += i in callers
        self.storage = Storage.of(graph, times, len(self.callers), input_mode)
        self.root = self.storage.root
        self.readers: dict[int, list[tuple[int, int]]] = {}
        self.born = {self.root[v]: -1 for v in graph.inputs}
        for k, caller in enumerate(self.callers):
            self.born.setdefault(self.output(k), k)
            for position in caller.kernel.operands:
                value = caller.node.inputs[position]
                if value is not None and graph.values[value].const is None:
                    self.readers.setdefault(self.root[value], []).append((k, position))
        self.size: dict[int, int] = {}
        for v, r in self.root.items():
            inside = r not in self.born  # between the parts of a tile
            if graph.values[v].const is None and v not in self.storage.outside and not inside:
                size = -(-graph.type(v).size_bytes // ALIGN) * ALIGN
                self.size[r] = max(self.size.get(r, 0), size)
        self.last = {r: self.storage.last_use.get(r, -1) for r in self.size}
        self.born_at = self._by({r: self.born[r] for r in self.size})
        self.dying_at = self._by(self.last)
        self._born = np.array([self.born[r] for r in self.size], np.int64)
        self._last = np.array([self.last[r] for r in self.size], np.int64)
        self._size = np.array(list(self.size.values()), np.int64)
        self._joins: dict[int, int | None] = {}
        self._rings: dict[tuple[Caller, ...], int] = {} if alike is None else alike._rings
        self._needed: dict[tuple[Caller, int, Caller], Rows] = {}

    @staticmethod
    def _by(times: Mapping[int, int]) -> dict[int, list[int]]:
        result: dict[int, list[int]] = {}
        for r, time in times.items():
            result.setdefault(time, []).append(r)
        return result

    def output(self, k: int) -> int:
        """The class of values that caller k writes."""
        return self.root[self.callers[k].node.outputs[0]]

    def around(self, first: int, end: int) -> int:
        """Bytes of what is written before a run and read after it."""
        return int(self._size[(self._born < first) & (self._last >= end)].sum())

    def ring_rows(self, members: tuple[Caller, ...]) -> int:
        """Rows of the ring of the first of them, when everything computed from it goes through the
        last: then the order of rows up to there decides, not what follows.
        """
        if members not in self._rings:
            kept = [caller is members[-1] for caller in members]
            self._rings[members] = ring_rows(actors_of(list(members), kept))[0]
        return self._rings[members]

    @staticmethod
    def ring_bytes(caller: Caller, rows: int) -> int:
        """Bytes of so many rows of what a caller writes."""
        size = min(max(1, rows), caller.output_shape[0]) * caller.row_bytes()
        return -(-size // ALIGN) * ALIGN

    def needed(self, reader: Caller, position: int, producer: Caller) -> Rows:
        """Units of the producer needed for n units of the reader, n = 0 .. all."""
        key = reader, position, producer
        if key not in self._needed:
            self._needed[key] = _needed(reader, position, producer)
        return self._needed[key]

    def join(self, k: int) -> int | None:
        """The first caller through which everything computed from caller k's output goes."""
        if k not in self._joins:
            open_values = {self.output(k)}
            self._joins[k] = None
            for j in range(k + 1, min(len(self.callers), k + 1 + LONGEST_RUN)):
                node = self.callers[j].node
                if not self.callers[j].streams:
                    break
                read = {self.root[v] for v in node.inputs if v is not None}
                if read & open_values:
                    open_values.add(self.output(j))
                open_values = {
                    r for r in open_values if self.readers.get(r, [(j + 1, 0)])[-1][0] > j
                }
                if open_values == {self.output(j)}:
                    self._joins[k] = j
                    break
        return self._joins[k]


def _needed(reader: Caller, position: int, producer: Caller) -> Rows:
    """Units of the producer needed for n units of the reader, n = 0 .. all."""
    ends = np.array([0, *(end for _, end in reader.row_reads[position])], np.int64)
    return producer.units_for(ends)
