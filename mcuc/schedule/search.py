"""Chooses segments: which runs of nodes stream together, to need the least memory.

The nodes, in their order, are cut into runs. Each run is one segment: a single node layer by layer,
or several as a stream. What a run needs is computed from the row rules of its nodes: the rows that
each ring must hold, the distance by which an output may trail the input it grows into, and what is
alive around it. Then the cuts with the least largest need are found by dynamic programming
(`least_memory`), or the cuts with the least work whose needs stay below a limit (`within`).

Nothing is computed twice in a stream, so the MACs never exceed those of layer by layer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcuc.cost.model import predicted
from mcuc.errors import ScheduleError
from mcuc.ir.graph import Graph
from mcuc.ir.program import Form
from mcuc.schedule.call import Caller
from mcuc.schedule.simulate import ring_rows
from mcuc.schedule.spec import Group, Schedule
from mcuc.schedule.storage import ALIGN, Storage
from mcuc.schedule.stream import actors_of

LONGEST_RUN = 64
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Run:
    """Nodes [first, end) of the execution order as one segment.

    Attributes:
        need_bytes: Estimate of all memory live while it runs.
        work: Predicted instructions.
    """

    first: int
    end: int
    need_bytes: int
    work: int


class Search:
    """The runs of a graph, with their needs."""

    def __init__(
        self, graph: Graph, callers: Mapping[int, Caller], input_mode: str = "consumed"
    ) -> None:
        self.graph = graph
        self.order = [callers[i] for i in range(len(graph.nodes)) if i in callers]
        times: dict[int, int] = {}
        now = 0
        for i in range(len(graph.nodes)):
            times[i] = now
            now += i in callers
        count = len(self.order)
        self.storage = Storage.of(graph, times, count, input_mode)
        self.size: dict[int, int] = {}
        self.born: dict[int, int] = {}
        self.readers: dict[int, list[tuple[int, int]]] = {}
        for v, r in self.storage.root.items():
            if graph.values[v].const is None and v not in self.storage.outside:
                size = graph.type(v).size_bytes
                self.size[r] = max(self.size.get(r, 0), -(-size // ALIGN) * ALIGN)
        for v in graph.inputs:
            self.born[self.storage.root[v]] = -1
        for k, caller in enumerate(self.order):
            self.born.setdefault(self.storage.root[caller.node.outputs[0]], k)
            for position in caller.kernel.operands:
                value = caller.node.inputs[position]
                if value is not None and graph.values[value].const is None:
                    self.readers.setdefault(self.storage.root[value], []).append((k, position))
        self._joins: dict[int, int | None] = {}
        self._ring_cache: dict[tuple[int, int], int] = {}
        self.runs: dict[int, list[Run]] = {end: self._runs_to(end) for end in range(1, count + 1)}

    # --- needs --------------------------------------------------------------------------------

    def _runs_to(self, end: int) -> list[Run]:
        """All runs that end before node `end`."""
        last = self.order[end - 1]
        runs = [Run(end - 1, end, self._need(end - 1, end, {end - 1: None}), self._work(last, 1))]
        if any(v in self.storage.outside for v in last.node.inputs):
            return []  # rows that the application delivers are streamed
        if not last.streams:
            return runs
        made: dict[int, Rows | None] = {end - 1: np.arange(1, self._rows(last) + 1, dtype=np.int64)}
        for first in range(end - 2, max(-1, end - 1 - LONGEST_RUN), -1):
            caller = self.order[first]
            if not caller.streams:
                break
            rows = self._made(first, end, made)
            if rows is None:
                break
            made[first] = rows
            need = self._need(first, end, dict(made))
            work = sum(self._work(self.order[k], int(_array(m)[-1])) for k, m in made.items())
            runs.append(Run(first, end, need, work))
        return runs

    def _work(self, caller: Caller, calls: int) -> int:
        elements = caller.site.output.elements
        return predicted(caller.kernel.symbol, caller.macs, elements, calls)

    def _rows(self, caller: Caller) -> int:
        if caller.kernel.form is Form.FOLD:
            return caller.canonical.inputs[caller.kernel.operands[0]][0]
        return caller.output_shape[0]

    def _made(self, k: int, end: int, made: Mapping[int, Rows | None]) -> Rows | None:
        """Rows of node k that must be made for each number of rows of the run's last node.

        None when the run does not read the node's output, or reads it with another shape.
        """
        value = self.order[k].node.outputs[0]
        result: Rows | None = None
        for reader, position in self.readers.get(self.storage.root[value], ()):
            if reader >= end:
                continue
            if self.order[reader].node.inputs[position] != value:
                return None
            if not self.order[reader].reads_rows_of(position, self.order[k]):
                return None
            needed = self._needed(reader, position, k)[_array(made[reader])]
            result = needed if result is None else np.maximum(result, needed)
        return result

    def _needed(self, reader: int, position: int, producer: int) -> Rows:
        """Rows of the producer needed for n rows of the reader, n = 0 .. all."""
        caller = self.order[reader]
        if self.order[producer].kernel.form is Form.FOLD:
            rows = np.full(self._rows(caller) + 1, self._rows(self.order[producer]), np.int64)
            rows[0] = 0
            return rows
        if caller.kernel.form is Form.FOLD:
            return np.arange(self._rows(caller) + 1, dtype=np.int64)
        return np.array([0, *(end for _, end in caller.row_reads[position])], np.int64)

    def _oldest(self, reader: int, position: int, rows: Rows) -> Rows:
        """First row still to be read after the reader has made `rows`."""
        caller = self.order[reader]
        height = caller.canonical.inputs[position][0]
        if caller.kernel.form is Form.FOLD:
            return rows
        firsts = np.array([*(first for first, _ in caller.row_reads[position]), height], np.int64)
        return firsts[rows]

    def _need(self, first: int, end: int, made: Mapping[int, Rows | None]) -> int:
        """Bytes live during a run: around it, rings, scratch, and its ends, overlapped."""
        stream = end - first > 1
        fixed = 4 * (end - first) if stream else 0
        dying: list[int] = []
        born: list[int] = []
        for r, size in self.size.items():
            start, last = self.born.get(r, end), self.storage.last_use.get(r, -1)
            if start >= end or last < first:
                continue
            if start >= first and last < end and stream and start != end - 1:
                fixed += self._ring(r, start, end, made)
            elif start >= first:
                born.append(r)
            elif last < end:
                dying.append(r)
            else:
                fixed += size
        fixed += max(self._scratch(self.order[k]) for k in range(first, end))
        fixed += sum(self._accumulators(self.order[k]) for k in range(first, end))
        return fixed + self._ends(dying, born, first, end, made)

    def _ring(self, r: int, k: int, end: int, made: Mapping[int, Rows | None]) -> int:
        """Bytes of the ring that holds the output of node k."""
        caller = self.order[k]
        join = self._join(k)
        if join is not None and join < end:
            rows = self._ring_rows(k, join)
        else:
            rows = self._lead(k, end, made)
        size = min(max(1, rows), caller.output_shape[0]) * caller.row_bytes()
        return -(-size // ALIGN) * ALIGN

    def _ring_rows(self, k: int, join: int) -> int:
        """Rows of node k's ring; the order of rows up to the join decides, not what follows it."""
        if (k, join) not in self._ring_cache:
            members = self.order[k : join + 1]
            kept = [caller is members[-1] for caller in members]
            self._ring_cache[k, join] = ring_rows(actors_of(members, kept))[0]
        return self._ring_cache[k, join]

    def _lead(self, k: int, end: int, made: Mapping[int, Rows | None]) -> int:
        """Most rows that node k is ahead of its slowest reader."""
        if self.order[k].kernel.form is Form.FOLD:
            return 1
        done = _array(made[k])
        oldest: Rows | None = None
        for j, position in self.readers[self.storage.root[self.order[k].node.outputs[0]]]:
            if j < end:
                before = np.concatenate(([0], _array(made[j])[:-1]))
                rows = self._oldest(j, position, before)
                oldest = rows if oldest is None else np.minimum(oldest, rows)
        return 1 if oldest is None else int(np.max(done - oldest))

    def _join(self, k: int) -> int | None:
        """The first node through which everything computed from node k's output goes."""
        if k not in self._joins:
            open_values = {self.storage.root[self.order[k].node.outputs[0]]}
            self._joins[k] = None
            for j in range(k + 1, min(len(self.order), k + 1 + LONGEST_RUN)):
                node = self.order[j].node
                read = {self.storage.root[v] for v in node.inputs if v is not None}
                if read & open_values:
                    open_values.add(self.storage.root[node.outputs[0]])
                open_values = {
                    r for r in open_values if self.readers.get(r, [(j + 1, 0)])[-1][0] > j
                }
                if open_values == {self.storage.root[node.outputs[0]]}:
                    self._joins[k] = j
                    break
        return self._joins[k]

    def _scratch(self, caller: Caller) -> int:
        if caller.kernel.form is Form.FOLD:
            return 0
        return -(-caller.scratch_bytes // ALIGN) * ALIGN

    def _accumulators(self, caller: Caller) -> int:
        return caller.kernel.acc_bytes(caller.site) if caller.kernel.acc_bytes else 0

    def _ends(
        self,
        dying: list[int],
        born: list[int],
        first: int,
        end: int,
        made: Mapping[int, Rows | None],
    ) -> int:
        """Bytes of dying inputs and new outputs together; the last output may trail one input."""
        size = self.size
        apart = sum(size[r] for r in (*dying, *born))
        last = self.storage.root[self.order[end - 1].node.outputs[0]]
        if last not in born:
            return apart
        best = apart
        for r in dying:
            distance = self._distance(r, first, end, made)
            if distance is None:
                continue
            joint = max(size[last], size[r] + max(0, distance))
            best = min(best, apart - size[r] - size[last] + min(joint, size[r] + size[last]))
        return best

    def _distance(
        self, r: int, first: int, end: int, made: Mapping[int, Rows | None]
    ) -> int | None:
        """How far below the dying input r the run's last output must stay; None = apart."""
        caller = self.order[end - 1]
        if end - first == 1 and not caller.streams:
            return None
        users = [(k, p) for k, p in self.readers.get(r, ()) if first <= k < end]
        rows_of = {self.order[k].row_bytes(p) for k, p in users}
        if len(rows_of) != 1:
            return None
        (in_row,) = rows_of
        folded = caller.kernel.form is Form.FOLD
        height = self._rows(caller)
        done = np.arange(1, height + 1, dtype=np.int64)
        written = done * caller.row_bytes()
        oldest = None
        for k, position in users:
            if k == end - 1 and caller.in_place_on(position):
                rows = done  # it may write the row that it reads
            else:
                rows = self._oldest(k, position, done - 1 if k == end - 1 else _array(made[k]))
            oldest = rows if oldest is None else np.minimum(oldest, rows)
        if oldest is None:
            return None
        if folded:
            return caller.row_bytes() - int(oldest[-1]) * in_row
        return int(np.max(written - oldest * in_row))

    # --- cuts ---------------------------------------------------------------------------------

    def least_memory(self) -> list[Run]:
        """The cutting with the least largest need, and of those the one with the least work.

        Raises:
            ScheduleError: E305 when the input comes in rows and the first nodes cannot stream.
        """
        best: list[float] = [0]
        for end in range(1, len(self.order) + 1):
            needs = (max(best[run.first], run.need_bytes) for run in self.runs[end])
            best.append(min(needs, default=math.inf))
        if best[-1] == math.inf:
            raise ScheduleError(
                "E305",
                "the first layers cannot take their input row by row",
                help="use --input-mode consumed or kept",
            )
        return self.within(int(best[-1]))

    def front(self) -> list[list[Run]]:
        """The cuttings that nothing beats in both memory and work, least memory first."""
        limits = sorted({run.need_bytes for runs in self.runs.values() for run in runs})
        found: dict[int, list[Run]] = {}

        def explore(low: int, high: int) -> None:
            if high - low < 2 or _work_of(found[low]) == _work_of(found[high]):
                return
            middle = (low + high) // 2
            found[middle] = self.within(limits[middle])
            explore(low, middle)
            explore(middle, high)

        least = self.least_memory()
        if not least:
            return [[]]  # nothing is computed
        first = limits.index(max(run.need_bytes for run in least))
        found[first], found[len(limits) - 1] = least, self.within(limits[-1])
        explore(first, len(limits) - 1)
        best: list[list[Run]] = []
        for cuts in sorted(found.values(), key=lambda c: (_need_of(c), _work_of(c))):
            if not best or _work_of(cuts) < _work_of(best[-1]):
                best.append(cuts)
        return best

    def within(self, limit: int) -> list[Run]:
        """The cutting with the least work whose runs all stay within `limit` bytes.

        Raises:
            ScheduleError: E305 when there is none.
        """
        cuts = self._cuts(limit)
        if cuts is None:
            raise ScheduleError("E305", f"no schedule needs {limit:,} bytes or less")
        return cuts

    def _cuts(self, limit: int) -> list[Run] | None:
        best: list[tuple[int, Run | None] | None] = [(0, None)]
        for end in range(1, len(self.order) + 1):
            options = [
                (known[0] + run.work, run)
                for run in self.runs[end]
                if run.need_bytes <= limit and (known := best[run.first]) is not None
            ]
            best.append(min(options, key=lambda o: (o[0], o[1].first)) if options else None)
        if best[-1] is None:
            return None
        cuts: list[Run] = []
        end = len(self.order)
        while end:
            state = best[end]
            assert state is not None and state[1] is not None
            cuts.append(state[1])
            end = state[1].first
        return cuts[::-1]

    def schedule(self, cuts: list[Run]) -> Schedule:
        """The schedule of a cutting; reshapes run with what precedes them."""
        groups: list[Group] = []
        position = 0
        for run in cuts:
            start = self.order[run.first].index
            while position < start:  # reshapes before the run
                groups.append(Group("layer", (position,)))
                position += 1
            nodes = tuple(range(start, self.order[run.end - 1].index + 1))
            groups.append(Group("stream" if run.end - run.first > 1 else "layer", nodes))
            position = nodes[-1] + 1
        while position < len(self.graph.nodes):
            groups.append(Group("layer", (position,)))
            position += 1
        return Schedule(tuple(groups))


def _need_of(cuts: list[Run]) -> int:
    return max((run.need_bytes for run in cuts), default=0)


def _work_of(cuts: list[Run]) -> int:
    return sum(run.work for run in cuts)


def _array(rows: Rows | None) -> Rows:
    assert rows is not None
    return rows
