"""Chooses segments: which runs of nodes stream together, to need the least memory.

The nodes, in their order, are cut into runs. Each run is one segment: a single node layer by layer,
or several as a stream. What a run needs is computed in growth.py; then the cuts with the least
largest need are found by dynamic programming (`least_memory`), or the cuts with the least work
whose needs stay below a limit (`within`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mcuc.errors import ScheduleError
from mcuc.schedule.call import Caller
from mcuc.schedule.growth import runs
from mcuc.schedule.needs import Order, Run
from mcuc.schedule.spec import Group, Schedule, Tile
from mcuc.schedule.tile import Tiled


class Search:
    """The runs of a graph under given tiles, with their needs."""

    def __init__(
        self, order: Order, tiles: Sequence[Tile] = (), fastest: frozenset[int] = frozenset()
    ) -> None:
        """`tiles` and `fastest` are those that the order's callers were made with."""
        self.order, self.tiles, self.fastest = order, tuple(tiles), fastest
        count = len(order.callers)
        self.runs = {end: list(runs(order, end)) for end in range(1, count + 1)}

    def least_memory(self) -> list[Run]:
        """The cutting with the least largest need, and of those the one with the least work.

        Raises:
            ScheduleError: E305 when the input comes in rows and the first nodes cannot stream.
        """
        best: list[float] = [0]
        for end in self.runs:
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
            if high - low < 2 or work_of(found[low]) == work_of(found[high]):
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
        for cuts in sorted(found.values(), key=lambda c: (need_of(c), work_of(c))):
            if not best or work_of(cuts) < work_of(best[-1]):
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
        for end in self.runs:
            options = [
                (known[0] + run.work, run)
                for run in self.runs[end]
                if run.need_bytes <= limit and (known := best[run.first]) is not None
            ]
            best.append(min(options, key=lambda o: (o[0], o[1].first)) if options else None)
        if best[-1] is None:
            return None
        cuts: list[Run] = []
        end = len(self.order.callers)
        while end:
            state = best[end]
            assert state is not None and state[1] is not None
            cuts.append(state[1])
            end = state[1].first
        return cuts[::-1]

    def schedule(self, cuts: Sequence[Run]) -> Schedule:
        """The schedule of a cutting; reshapes run with what precedes them."""
        groups: list[Group] = []
        position = 0
        for run in cuts:
            members = self.order.callers[run.first : run.end]
            start = _first_node(members[0])
            while position < start:  # reshapes before the run
                groups.append(Group("layer", (position,)))
                position += 1
            nodes = tuple(range(start, members[-1].index + 1))
            stream = len(members) > 1 or isinstance(members[0], Tiled)
            groups.append(Group("stream" if stream else "layer", nodes))
            position = nodes[-1] + 1
        while position < len(self.order.graph.nodes):
            groups.append(Group("layer", (position,)))
            position += 1
        return Schedule(tuple(groups), self.tiles, fastest=self.fastest)


def _first_node(caller: Caller) -> int:
    return caller.parts[0].index if isinstance(caller, Tiled) else caller.index


def need_of(cuts: Sequence[Run]) -> int:
    """Bytes of the largest run."""
    return max((run.need_bytes for run in cuts), default=0)


def work_of(cuts: Sequence[Run]) -> int:
    """Predicted instructions of all runs."""
    return sum(run.work for run in cuts)
