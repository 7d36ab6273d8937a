"""What a run needs, as it grows to the left from its last node: bytes and predicted instructions.

Computed from the row rules of the nodes: the rows that each ring must hold, the distance by which
an output may trail the input it grows into, and what is alive around the run. A run grows by single
callers, or by chains of them that run as one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcuc.cost.model import LOOP, predicted
from mcuc.ir.program import Form
from mcuc.schedule.call import Caller, Rows
from mcuc.schedule.needs import LONGEST_RUN, Order, Run
from mcuc.schedule.storage import ALIGN


class Growth:
    """Callers that run as one segment and end before caller `end` of an order.

    Grows to the left, by a caller of the order or by one that stands for a chain of them.

    Attributes:
        first, end: Which callers of the order.
        members: What runs: the order's callers, or chains of them as one.
        rings, scratch, lasting: Bytes.
        work, macs: As in `Run`.
        born: What is written in the run and read after it.
    """

    def __init__(self, order: Order, goal: Caller, first: int, end: int) -> None:
        """`goal` stands for the callers [first, end) of the order."""
        self.order, self.first, self.end = order, end, end
        self.members: tuple[Caller, ...] = ()
        self._ends_of: tuple[int, ...] = ()  # by member: the end of what it stands for
        self.rings = self.scratch = self.lasting = self.work = self.macs = 0
        self.born: frozenset[int] = frozenset()
        self._dying: frozenset[int] = frozenset()  # written before the run, read last in it
        self._read_by: dict[int, tuple[tuple[Caller, int, Rows], ...]] = {}
        self._oldest: dict[int, Rows | None] = {}  # first row still to be read; None: apart
        self._row_bytes: dict[int, int] = {}
        self._made = np.arange(1, goal.units + 1, dtype=np.int64)  # of the first member
        self._done = self._made
        self._take(goal, first)

    @property
    def goal(self) -> Caller:
        """The last of the members."""
        return self.members[-1]

    def extended(self, caller: Caller, first: int) -> Growth | None:
        """With one more caller, which stands for callers from `first` on of the order.

        None when what there is does not read its output, or reads it with another shape.
        """
        made = self._made_of(caller) if caller.streams and self.goal.streams else None
        if made is None:
            return None
        new = Growth.__new__(Growth)
        new.__dict__.update(self.__dict__)
        for name in ("_read_by", "_oldest", "_row_bytes"):
            setattr(new, name, dict(getattr(self, name)))
        new._made = made
        new._take(caller, first)
        return new

    def run(self) -> Run:
        """What it needs as it stands."""
        stream = len(self.members) > 1 or self.goal.kernel.form is Form.TILE
        need = self.order.around(self.first, self.end) + self.rings + self.scratch
        need += self.lasting + self._ends() + (4 * len(self.members) if stream else 0)
        work = self.work if stream else work_in(self.goal, 1)
        return Run(self.first, self.end, need, work, self.macs)

    def _take(self, caller: Caller, first: int) -> None:
        """The caller is the run's first from now on."""
        order, before, self.first = self.order, self.first, first
        self.members = (caller, *self.members)
        self._ends_of = (before, *self._ends_of)
        fold = caller.kernel.form is Form.FOLD
        self.scratch = max(self.scratch, 0 if fold else -(-caller.scratch_bytes // ALIGN) * ALIGN)
        self.lasting += caller.lasting_bytes
        units = int(self._made[-1])
        self.work += work_in(caller, units)
        self.macs += caller.macs * units // max(1, caller.units)
        for k in range(before - 1, first - 1, -1):
            self._dying -= set(order.born_at.get(k, ()))
            self._dying |= {r for r in order.dying_at.get(k, ()) if order.born[r] < first}
        for r in order.born_at.get(before - 1, ()):  # what a chain has inside is its scratch
            if order.last[r] >= self.end or before == self.end:
                self.born |= {r}
            else:
                self.rings += self._ring(r, caller)
        for position in caller.kernel.operands:
            value = caller.node.inputs[position]
            if value is None or order.graph.values[value].const is not None:
                continue
            r = order.root[value]
            self._read_by[r] = (*self._read_by.get(r, ()), (caller, position, self._made))
            if r in order.size:
                self._read(r, caller, position)

    def _read(self, r: int, caller: Caller, position: int) -> None:
        """The caller reads operand r: notes the rows that it leaves for later."""
        size = caller.row_bytes(position)
        if self._row_bytes.setdefault(r, size) != size:
            self._oldest[r] = None  # seen with different shapes: rows of one are not of another
        if not self.goal.streams or self._oldest.get(r, self._made) is None:
            return
        if caller is self.goal:
            last = self._done if caller.in_place_on(position) else None
            rows = _oldest(caller, position, self._done - 1) if last is None else last
        else:
            rows = _oldest(caller, position, self._made)
        known = self._oldest.get(r)
        self._oldest[r] = rows if known is None else np.minimum(known, rows)

    def _made_of(self, caller: Caller) -> Rows | None:
        """Units of a caller that must be made for each number of units of the run's last one."""
        value = caller.node.outputs[0]
        result: Rows | None = None
        for user, position, made in self._read_by.get(self.order.root[value], ()):
            if user.node.inputs[position] != value or not user.reads_rows_of(position, caller):
                return None
            needed = self.order.needed(user, position, caller)[made]
            result = needed if result is None else np.maximum(result, needed)
        return result

    def _ring(self, r: int, caller: Caller) -> int:
        """Bytes of the ring that holds the output of the first member."""
        join = self.order.join(self._ends_of[0] - 1)
        if join is not None and join < self.end:
            inside = sum(end <= join for end in self._ends_of) + 1
            rows = self.order.ring_rows(self.members[:inside])
        else:
            rows = self._lead(r, caller)
        return self.order.ring_bytes(caller, rows)

    def _lead(self, r: int, caller: Caller) -> int:
        """Most rows that the first member is ahead of its slowest reader."""
        if caller.kernel.form is Form.FOLD:
            return 1
        oldest: Rows | None = None
        for reader, position, made in self._read_by.get(r, ()):
            rows = _oldest(reader, position, np.concatenate(([0], made[:-1])))
            oldest = rows if oldest is None else np.minimum(oldest, rows)
        rows = caller.rows_after(self._made)
        return caller.advance if oldest is None else int(np.max(rows - oldest))

    def _ends(self) -> int:
        """Bytes of dying inputs and new outputs together; the last output may trail one input."""
        size, last = self.order.size, self.order.output(self.end - 1)
        apart = sum(size[r] for r in self._dying) + sum(size[r] for r in self.born)
        if last not in self.born:
            return apart
        most = 0
        for r in self._dying:
            distance = self._distance(r)
            if distance is not None:
                most = max(most, size[r] + size[last] - max(size[last], size[r] + max(0, distance)))
        return apart - most

    def _distance(self, r: int) -> int | None:
        """How far below the dying input r the run's last output must stay; None = apart."""
        oldest = self._oldest.get(r)
        if oldest is None:
            return None
        row, in_row = self.goal.row_bytes(), self._row_bytes[r]
        if self.goal.kernel.form is Form.FOLD:
            return row - int(oldest[-1]) * in_row
        written = self.goal.rows_after(self._done)
        return int(np.max(written * row - oldest * in_row))


def runs(order: Order, end: int) -> Iterator[Run]:
    """All runs of an order's callers that end before caller `end`, the shortest first."""
    goal = order.callers[end - 1]
    growth: Growth | None = Growth(order, goal, end - 1, end)
    assert growth is not None
    if any(v in order.storage.pushed for v in goal.node.inputs):
        return  # rows that the application delivers are streamed
    yield growth.run()
    for first in range(end - 2, max(-1, end - 1 - LONGEST_RUN), -1):
        growth = growth.extended(order.callers[first], first)
        if growth is None:
            return
        yield growth.run()


def work_in(caller: Caller, units: int) -> int:
    """Predicted instructions of a caller that runs in that many units."""
    loop = LOOP * units if units > 1 else 0
    calls = caller.calls(units)
    return round(loop + sum(predicted(c.symbol, c.macs, c.elements, c.calls) for c in calls))


def _oldest(reader: Caller, position: int, units: Rows) -> Rows:
    """First row still to be read after the reader has made `units`."""
    height = reader.canonical.inputs[position][0]
    firsts = [first for first, _ in reader.row_reads[position]]
    return np.array([*firsts, height], np.int64)[units]
