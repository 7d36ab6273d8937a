"""What a run of nodes needs as one segment: bytes and predicted instructions.

Computed from the row rules of the nodes: the rows that each ring must hold, the distance by which
an output may trail the input it grows into, and what is alive around the run. A run grows leftwards
from its last node, so that each node is looked at once for every end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.cost.model import LOOP, predicted
from mcuc.ir.graph import Graph
from mcuc.ir.program import Form
from mcuc.schedule.call import Caller
from mcuc.schedule.simulate import ring_rows
from mcuc.schedule.storage import ALIGN, Storage
from mcuc.schedule.stream import actors_of

LONGEST_RUN = 64
Rows = npt.NDArray[np.int64]


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
        rings: dict[tuple[Caller, ...], int] | None = None,
    ) -> None:
        """`rings` remembers sizes of rings from one order to another."""
        self.graph = graph
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
        self._rings = {} if rings is None else rings

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

    def ring_rows(self, k: int) -> tuple[int, int] | None:
        """(rows of caller k's ring, join) when everything computed from it goes through one later
        caller, the join: then the order of rows up to there decides, not what follows.
        """
        join = self._join(k)
        if join is None:
            return None
        members = self.callers[k : join + 1]
        key = tuple(members)
        if key not in self._rings:
            kept = [caller is members[-1] for caller in members]
            self._rings[key] = ring_rows(actors_of(members, kept))[0]
        return self._rings[key], join

    def _join(self, k: int) -> int | None:
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


class Growth:
    """A run that ends before caller `end` and grows to the left; `runs` are all of them."""

    def __init__(self, order: Order, end: int) -> None:
        self.order, self.end = order, end
        self.goal = order.callers[end - 1]
        self.first = end
        self.made: dict[int, Rows] = {}
        self.rings = self.scratch = self.accumulators = self.work = self.macs = 0
        self.born: set[int] = set()  # written in the run, read after it
        self.dying: set[int] = set()  # written before the run, read last in it
        self.oldest: dict[int, Rows | None] = {}  # first row still to be read; None: apart
        self.row_bytes: dict[int, int] = {}

    def runs(self) -> Iterator[Run]:
        """All runs that end here, the shortest first."""
        order, last = self.order, self.goal
        lone = not any(v in order.storage.outside for v in last.node.inputs)
        self.made[self.end - 1] = np.arange(1, last.units + 1, dtype=np.int64)
        self._take(self.end - 1)
        if lone:
            yield self._run()
        if not lone or not last.streams:
            return  # rows that the application delivers are streamed
        for first in range(self.end - 2, max(-1, self.end - 1 - LONGEST_RUN), -1):
            if not order.callers[first].streams:
                return
            made = self._made(first)
            if made is None:
                return
            self.made[first] = made
            self._take(first)
            yield self._run()

    def _run(self) -> Run:
        stream = self.end - self.first > 1 or self.goal.kernel.form is Form.TILE
        need = self.order.around(self.first, self.end) + self.rings + self.scratch
        need += self.accumulators + self._ends() + (4 * (self.end - self.first) if stream else 0)
        work = self.work if stream else work_in(self.goal, 1)
        return Run(self.first, self.end, need, work, self.macs)

    def _take(self, k: int) -> None:
        """Caller k is the run's first from now on."""
        order, caller, self.first = self.order, self.order.callers[k], k
        fold = caller.kernel.form is Form.FOLD
        self.scratch = max(self.scratch, 0 if fold else -(-caller.scratch_bytes // ALIGN) * ALIGN)
        self.accumulators += caller.kernel.acc_bytes(caller.site) if caller.kernel.acc_bytes else 0
        units = int(self.made[k][-1])
        self.work += work_in(caller, units)
        self.macs += caller.macs * units // max(1, caller.units)
        for r in order.born_at.get(k, ()):
            self.dying.discard(r)
            if order.last[r] >= self.end or k == self.end - 1:
                self.born.add(r)
            else:
                self.rings += self._ring(r, k)
        self.dying.update(r for r in order.dying_at.get(k, ()) if order.born[r] < k)
        for position in caller.kernel.operands:
            value = caller.node.inputs[position]
            if value is not None and order.root[value] in order.size:
                self._read(order.root[value], k, position)

    def _read(self, r: int, k: int, position: int) -> None:
        """Caller k reads operand r: notes the rows that it leaves for later."""
        caller, goal = self.order.callers[k], self.goal
        if self.row_bytes.setdefault(r, caller.row_bytes(position)) != caller.row_bytes(position):
            self.oldest[r] = None  # seen with different shapes: rows of one are not rows of another
        if not goal.streams or self.oldest.get(r, self.made[k]) is None:
            return
        done = self.made[self.end - 1]
        if k == self.end - 1:
            rows = done if goal.in_place_on(position) else _oldest(goal, position, done - 1)
        else:
            rows = _oldest(caller, position, self.made[k])
        known = self.oldest.get(r)
        self.oldest[r] = rows if known is None else np.minimum(known, rows)

    def _made(self, k: int) -> Rows | None:
        """Units of caller k that must be made for each number of units of the run's last caller.

        None when the run does not read the caller's output, or reads it with another shape.
        """
        order, caller = self.order, self.order.callers[k]
        value = caller.node.outputs[0]
        result: Rows | None = None
        for reader, position in order.readers.get(order.root[value], ()):
            if reader >= self.end:
                continue
            user = order.callers[reader]
            if user.node.inputs[position] != value or not user.reads_rows_of(position, caller):
                return None
            needed = _needed(user, position, caller)[self.made[reader]]
            result = needed if result is None else np.maximum(result, needed)
        return result

    def _ring(self, r: int, k: int) -> int:
        """Bytes of the ring that holds the output of caller k."""
        caller = self.order.callers[k]
        known = self.order.ring_rows(k)
        rows = known[0] if known is not None and known[1] < self.end else self._lead(r, k)
        size = min(max(1, rows), caller.output_shape[0]) * caller.row_bytes()
        return -(-size // ALIGN) * ALIGN

    def _lead(self, r: int, k: int) -> int:
        """Most rows that caller k is ahead of its slowest reader."""
        caller = self.order.callers[k]
        if caller.kernel.form is Form.FOLD:
            return 1
        oldest: Rows | None = None
        for j, position in self.order.readers.get(r, ()):
            if j < self.end:
                before = np.concatenate(([0], self.made[j][:-1]))
                rows = _oldest(self.order.callers[j], position, before)
                oldest = rows if oldest is None else np.minimum(oldest, rows)
        made = np.minimum(self.made[k] * caller.advance, caller.output_shape[0])
        return caller.advance if oldest is None else int(np.max(made - oldest))

    def _ends(self) -> int:
        """Bytes of dying inputs and new outputs together; the last output may trail one input."""
        size, last = self.order.size, self.order.output(self.end - 1)
        apart = sum(size[r] for r in self.dying) + sum(size[r] for r in self.born)
        if last not in self.born:
            return apart
        most = 0
        for r in self.dying:
            distance = self._distance(r)
            if distance is not None:
                most = max(most, size[r] + size[last] - max(size[last], size[r] + max(0, distance)))
        return apart - most

    def _distance(self, r: int) -> int | None:
        """How far below the dying input r the run's last output must stay; None = apart."""
        oldest = self.oldest.get(r)
        if oldest is None:
            return None
        row, in_row = self.goal.row_bytes(), self.row_bytes[r]
        if self.goal.kernel.form is Form.FOLD:
            return row - int(oldest[-1]) * in_row
        written = np.minimum(self.made[self.end - 1] * self.goal.advance, self.goal.output_shape[0])
        return int(np.max(written * row - oldest * in_row))


def work_in(caller: Caller, units: int) -> int:
    """Predicted instructions of a caller that runs in that many units."""
    loop = LOOP * units if units > 1 else 0
    calls = caller.calls(units)
    return round(loop + sum(predicted(c.symbol, c.macs, c.elements, c.calls) for c in calls))


def _needed(reader: Caller, position: int, producer: Caller) -> Rows:
    """Units of the producer needed for n units of the reader, n = 0 .. all."""
    if producer.kernel.form is Form.FOLD:
        rows = np.full(reader.units + 1, producer.units, np.int64)
        rows[0] = 0
        return rows
    ends = np.array([0, *(end for _, end in reader.row_reads[position])], np.int64)
    return -(-ends // producer.advance)


def _oldest(reader: Caller, position: int, units: Rows) -> Rows:
    """First row still to be read after the reader has made `units`."""
    height = reader.canonical.inputs[position][0]
    firsts = [first for first, _ in reader.row_reads[position]]
    return np.array([*firsts, height], np.int64)[units]
