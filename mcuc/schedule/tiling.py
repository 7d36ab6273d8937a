"""Less memory by tiles: chains of a stream's nodes run in blocks instead of over whole rows.

For a limit of memory, a shortest path finds the cuts and the tiles that compute least twice. It
goes from node to node; a step adds a node, or a tile of some shape, to the run, or ends the run
where that keeps to the limit. Of paths that go on alike, those that others beat in MACs, rings and
scratch, in GRAINS of the limit, are dropped. Columns cost no MACs, so the narrowest blocks
decide what is possible; where memory is left they become wider.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcuc.ir.program import Form
from mcuc.schedule.call import Caller
from mcuc.schedule.growth import Growth, work_in
from mcuc.schedule.needs import LONGEST_RUN
from mcuc.schedule.search import Search
from mcuc.schedule.spec import Tile
from mcuc.schedule.storage import ALIGN
from mcuc.schedule.tile import Tiled, chains

ROWS = (1, 2, 3, 4, 5, 6, 8)  # of a band
COLUMNS = (1, 2, 3, 4, 6, 8, 12, 16, 24)  # of a block
SOUGHT = (1, 4, 12)  # of a block while the path is sought; the narrowest if MACs are its price
_NEVER = 1 << 60
GRAINS = 400  # of a limit: paths that differ by less memory count as alike
MOST_STEPS = 60_000  # of one search; long skips keep paths from being alike


@dataclass(frozen=True)
class Choice:
    """Tiles, and the nodes that have room for their fastest kernels."""

    tiles: tuple[Tile, ...]
    fastest: frozenset[int]


@dataclass(frozen=True, eq=False)
class _Option:
    """What can run the callers [first, end) of the order: one of them, or a tile.

    Attributes:
        twice: MACs that it does twice.
        work: Predicted instructions.
        fixed: Bytes that it needs as long as the run lasts.
        scratch: Bytes, shared with the other members.
        reads: Bytes of the rows that a unit reads at most of what the caller before it writes.
    """

    first: int
    end: int
    caller: Caller
    twice: int
    work: int
    fixed: int
    scratch: int
    reads: int


@dataclass(frozen=True, eq=False)
class _Path:
    """All runs up to a node, the last one still open.

    Attributes:
        before: The path up to the open run, at whose end that begins; None when it is the first.
        members: Of the open run.
        twice, work: Of all runs.
        rings: Bytes of those rings of the open run that are known, and what else is fixed.
        scratch: Bytes, of the open run.
        waiting: Members whose rings are not known yet: (position in members, join).
    """

    before: _Path | None
    members: tuple[_Option, ...]
    twice: int
    work: int
    rings: int
    scratch: int
    waiting: tuple[tuple[int, int], ...]

    @property
    def end(self) -> int:
        """Callers of the order that it covers."""
        if self.members:
            return self.members[-1].end
        return 0 if self.before is None else self.before.end


class _Seen:
    """Paths that go on alike: what they cost, and their rings and scratch in grains."""

    def __init__(self) -> None:
        self._paths: list[tuple[tuple[int, int], int, int]] = []

    def beats(self, cost: tuple[int, int], rings: int, scratch: int) -> bool:
        """Whether one that is there is as good in all; else the path is added."""
        for other, its_rings, its_scratch in self._paths:
            if its_rings <= rings and its_scratch <= scratch and other <= cost:
                return True
        self._paths.append((cost, rings, scratch))
        return False


class _Ahead:
    """What the rest of the way costs at least, by the memory that is left for the open run.

    The open run's rings that are not known yet are charged to their readers: a ring holds at least
    the rows that one unit of a reader reads.
    """

    def __init__(
        self,
        options: Sequence[Sequence[_Option]],
        alive: Sequence[int],
        limit: int,
        cost: Callable[[_Option], int],
    ) -> None:
        self._grain = max(1, limit // GRAINS)
        count = limit // self._grain + 1
        self._going_on = [np.full(count, _NEVER) for _ in range(len(options) + 1)]
        self._starting = [_NEVER] * len(options) + [0]
        for k in reversed(range(len(options))):
            room = limit - alive[k]
            for option in options[k]:
                own = cost(option)
                for reads, best in ((option.reads, self._going_on[k]), (0, None)):
                    needed = option.fixed + reads
                    shift = needed // self._grain
                    if best is not None and shift < count:
                        rest = np.minimum(
                            self._going_on[option.end][: count - shift], self._starting[option.end]
                        )
                        np.minimum(best[shift:], own + rest, out=best[shift:])
                    elif best is None and needed <= room:
                        rest_of = min(
                            int(self._going_on[option.end][(room - needed) // self._grain]),
                            self._starting[option.end],
                        )
                        self._starting[k] = min(self._starting[k], own + rest_of)

    def after(self, option: _Option, left: int, first: bool) -> int:
        """From an option's end on, if so many bytes are left before its own are taken."""
        left -= option.fixed + (0 if first else option.reads)
        if left < 0:
            return _NEVER
        return min(int(self._going_on[option.end][left // self._grain]), self._starting[option.end])


class Tiling:
    """Finds tiles for limits of memory."""

    def __init__(
        self,
        first: Search,
        callers: Mapping[int, Caller],
        most_macs: float,
        faster: Mapping[int, Caller],
    ) -> None:
        self.order, self.most_macs = first.order, most_macs
        self.gave_up = False  # a search took too long: smaller limits only take longer
        self._made: dict[tuple[Tile, bool], Tiled] = {}
        self._callers, self._faster = callers, faster
        self._plain = {(run.first, end): run for end, runs in first.runs.items() for run in runs}
        self._floors: dict[tuple[int, int], int] = {}
        self._rings: dict[tuple[_Option, ...], int] = {}
        self._joined: dict[tuple[_Option, tuple[_Option, ...]], bool] = {}
        count = len(self.order.callers)
        self._alive = [self.order.around(k, k) for k in range(count)]
        self._options = [[self._option(k, k + 1, c, 0)] for k, c in enumerate(self.order.callers)]
        at = {caller.index: k for k, caller in enumerate(self.order.callers)}
        pushed = self.order.storage.pushed  # rows that the application delivers are there once
        for chain in chains(self.order.graph, callers):
            if any(v in pushed for i in chain for v in callers[i].node.inputs):
                continue
            start, end = at[chain[0]], at[chain[-1]] + 1
            options = [self._option(start, end, *self._tile(t)) for t in self._shapes(chain)]
            self._options[start] += [option for option in options if option.twice <= most_macs]
        self._sources = {option: self._born(option) for row in self._options for option in row}

    def _option(self, first: int, end: int, caller: Caller, twice: int) -> _Option:
        folds = caller.kernel.form is Form.FOLD
        scratch = 0 if folds else -(-caller.scratch_bytes // ALIGN) * ALIGN
        before = self.order.callers[first - 1] if first else None
        reads = 0
        for position in caller.kernel.operands if before is not None and caller.streams else ():
            if before is not None and caller.node.inputs[position] == before.node.outputs[0]:
                most = max((end - start for start, end in caller.row_reads[position]), default=0)
                reads = max(reads, most * caller.row_bytes(position))
        work = work_in(caller, caller.units)
        return _Option(first, end, caller, twice, work, 4 + caller.lasting_bytes, scratch, reads)

    def _born(self, option: _Option) -> tuple[int, ...]:
        """The callers that write what an option reads."""
        inputs = (option.caller.node.inputs[p] for p in option.caller.kernel.operands)
        born = (self.order.born.get(self.order.root[v]) for v in inputs if v is not None)
        return tuple(sorted({k for k in born if k is not None and k >= 0}))

    def within(self, limit: int) -> Choice | None:
        """Tiles with which every run keeps to `limit` bytes, with the least done twice."""
        # where no price is forbidden, no more paths differ than in memory: it is seen sooner
        free = self.most_macs in (0, math.inf)
        if free and self._shortest(limit, priced=False) is None:
            return None
        path = self._shortest(limit)
        return None if path is None else self._choice(path, limit)

    def _shortest(self, limit: int, priced: bool = True) -> _Path | None:
        """The path to the end; unless `priced`, any one, whatever it takes."""
        count = len(self.order.callers)
        ended = [False] * (count + 1)
        grain = max(1, limit // GRAINS)
        known: dict[tuple[_Option, ...], _Seen] = {}
        queue: list[tuple[int, int, int, _Path, _Option]] = []
        number = itertools.count()
        twice_ahead = _Ahead(self._options, self._alive, limit, lambda option: option.twice)
        work_ahead = _Ahead(self._options, self._alive, limit, lambda option: option.work)

        def go_on(path: _Path) -> None:
            first = path.members[0].first if path.members else path.end
            for option in self._options[path.end]:
                left = limit - self._alive[first] - path.rings
                left -= max(path.scratch, option.scratch)
                alone = not path.members
                twice = path.twice + option.twice + twice_ahead.after(option, left, alone)
                if twice > self.most_macs:
                    continue
                work = path.work + option.work + work_ahead.after(option, left, alone)
                if not priced:
                    twice, work = 0, -path.end
                heapq.heappush(queue, (twice, work, next(number), path, option))

        go_on(_Path(None, (), 0, 0, 0, 0, ()))
        for _ in range(MOST_STEPS):
            if not queue:
                return None
            *_, shorter, option = heapq.heappop(queue)
            path = self._longer(shorter, option, limit)
            if path is None:
                continue
            # what follows depends on the members from the first one on whose ring is open
            since = min((k for k, _ in path.waiting), default=len(path.members) - 1)
            alike = (path.members[0], *path.members[since:])
            cost = (path.twice, path.work) if priced else (0, 0)
            if known.setdefault(alike, _Seen()).beats(
                cost, path.rings // grain, path.scratch // grain
            ):
                continue
            if not ended[path.end] and self._need(path, limit) is not None:
                if path.end == count:
                    return path
                ended[path.end] = True
                go_on(_Path(path, (), path.twice, path.work, 0, 0, ()))
            if path.end < count and len(path.members) < LONGEST_RUN:
                go_on(path)
        self.gave_up = True
        return None

    def _longer(self, path: _Path, option: _Option, limit: int) -> _Path | None:
        """With one more member in the open run; None when that cannot be, or is too large."""
        members = (*path.members, option)
        rings, waiting = path.rings + option.fixed, []
        scratch = max(path.scratch, option.scratch)
        most = limit - self._alive[members[0].first] - scratch
        if rings > most or not self._fits(path, option):
            return None
        for k, join in path.waiting:
            if join < option.end:
                rings += self._ring(members[k:])
            else:
                waiting.append((k, join))
        if rings > most:
            return None
        join_of = self.order.join(option.end - 1)
        if join_of is not None:
            waiting.append((len(path.members), join_of))
        return _Path(
            path.before,
            members,
            path.twice + option.twice,
            path.work + option.work,
            rings,
            scratch,
            tuple(waiting),
        )

    def _ring(self, members: tuple[_Option, ...]) -> int:
        """Bytes of the first one's ring, all of whose readers are among the others."""
        if members not in self._rings:
            rows = self.order.ring_rows(tuple(m.caller for m in members))
            self._rings[members] = self.order.ring_bytes(members[0].caller, rows)
        return self._rings[members]

    def _fits(self, path: _Path, option: _Option) -> bool:
        """Whether a member can follow those of the open run, as far as it reads what they write."""
        if not path.members:
            return True
        first, last = path.members[0].first, path.members[-1]
        producers = [last] + [
            next(m for m in path.members if born < m.end)
            for born in self._sources[option]
            if first <= born < last.first
        ]
        key = option, tuple(producers)
        if key not in self._joined:
            self._joined[key] = self._follows(option.caller, producers, first)
        return self._joined[key]

    def _follows(self, caller: Caller, producers: list[_Option], first: int) -> bool:
        if not (caller.streams and producers[0].caller.streams):
            return False
        for position in caller.kernel.operands:
            value = caller.node.inputs[position]
            born = None if value is None else self.order.born.get(self.order.root[value])
            if born is None or born < first:
                continue
            producer = next(m.caller for m in producers if m.first <= born < m.end)
            same = value == producer.node.outputs[0]
            if not (same and caller.reads_rows_of(position, producer)):
                return False
        return True

    def _need(self, path: _Path, limit: int) -> int | None:
        """What the open run needs if it ends here; None when it cannot, or not within the limit."""
        first, end = path.members[0].first, path.end
        if all(member.end - member.first == 1 for member in path.members):
            run = self._plain.get((first, end))  # None: it cannot end here
        else:
            if (first, end) not in self._floors:
                self._floors[first, end] = self._floor(first, end)
            if self._floors[first, end] + path.rings + path.scratch > limit:
                return None
            growth = self._growth(path)
            run = None if growth is None else growth.run()
        return None if run is None or run.need_bytes > limit else run.need_bytes

    def _floor(self, first: int, end: int) -> int:
        """What a run needs at least besides rings and scratch."""
        order = self.order
        dying = sum(
            s for r, s in order.size.items() if order.born[r] < first <= order.last[r] < end
        )
        last = order.output(end - 1)
        born = order.size.get(last, 0)
        return order.around(first, end) + max(dying, born)

    def _growth(self, path: _Path) -> Growth | None:
        *others, goal = path.members
        growth: Growth | None = Growth(self.order, goal.caller, goal.first, goal.end)
        for member in reversed(others):
            growth = None if growth is None else growth.extended(member.caller, member.first)
        return growth

    def _choice(self, path: _Path, limit: int) -> Choice:
        tiles: list[Tile] = []
        fastest: set[int] = set()
        at: _Path | None = path
        while at is not None:
            need = self._need(at, limit) if at.members else None
            if need is not None:
                scratch = (at.scratch + limit - need) // ALIGN * ALIGN
                for member in at.members:
                    found = self._relaxed(member.caller, scratch)
                    tiles += found.tiles
                    fastest |= found.fastest
            at = at.before
        return Choice(tuple(sorted(tiles, key=lambda t: t.nodes)), frozenset(fastest))

    def _shapes(self, chain: tuple[int, ...]) -> Iterator[Tile]:
        height, width, _ = self._callers[chain[-1]].output_shape
        read_twice = [a for a, b in itertools.pairwise(chain) if _shares_rows(self._callers[b])]
        if COLUMNS[0] >= width:
            return
        for count in range(len(read_twice) + 1):
            for kept in itertools.combinations(read_twice, count):
                # taller bands compute less twice, but for that there must be something
                for rows in ROWS[:1] if count == len(read_twice) else ROWS:
                    if rows == 1 or rows < height:
                        for columns in SOUGHT if self.most_macs == 0 else SOUGHT[:1]:
                            if columns < width:
                                yield Tile(chain, rows, columns, kept)

    def _tile(self, tile: Tile, faster: bool = False) -> tuple[Tiled, int]:
        """A tile's caller, and the MACs that it does twice."""
        if (tile, faster) not in self._made:
            callers = {**self._callers, **self._faster} if faster else self._callers
            self._made[tile, faster] = Tiled.of(tuple(callers[i] for i in tile.nodes), tile)
        made = self._made[tile, faster]
        single = sum(self._callers[i].macs for i in tile.nodes)
        return made, max(0, made.macs - single)  # less where rows are left out that nobody reads

    def _relaxed(self, caller: Caller, scratch: int) -> Choice:
        """With faster kernels and wider blocks, as far as so much scratch allows."""
        if not isinstance(caller, Tiled):
            faster = self._faster.get(caller.index)
            fits = faster is not None and _alike(caller, faster) and faster.scratch_bytes <= scratch
            return Choice((), frozenset([caller.index] if fits else []))
        tile, width = caller.tile, caller.output_shape[1]
        fast = all(_alike(part, self._faster.get(part.index)) for part in caller.parts)
        fast = fast and self._tile(tile, True)[0].scratch_bytes <= scratch
        for columns in [c for c in COLUMNS if c > tile.columns]:
            wider = replace(tile, columns=columns)
            if columns < width and self._tile(wider, fast)[0].scratch_bytes <= scratch:
                tile = wider
        return Choice((tile,), frozenset(tile.nodes if fast else ()))


def _alike(caller: Caller, faster: Caller | None) -> bool:
    """Whether there is a faster kernel, and it needs more of nothing but scratch."""
    return (
        faster is not None
        and caller.kernel.form is faster.kernel.form
        and (
            caller.kernel.inplace == faster.kernel.inplace
            and (caller.kernel.acc_bytes is None) == (faster.kernel.acc_bytes is None)
        )
    )


def _shares_rows(caller: Caller) -> bool:
    """Whether neighbouring rows of a caller read the same rows."""
    window = caller.window
    return window is not None and window.extent[0] > window.stride[0]
