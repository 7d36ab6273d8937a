"""Less memory by tiles: chains of a stream's nodes run in blocks instead of over whole rows.

For a limit of memory, a shortest path finds the cuts and the tiles that compute least twice. It
goes from node to node; a step adds a node, or a tile of some shape, to the run, or ends the run
where that keeps to the limit. Of paths that go on alike, those that others beat in MACs, rings and
scratch, in thousandths of the limit, are dropped. Columns cost no MACs, so the narrowest blocks
decide what is possible; where memory is left they become wider again.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcuc.ir.program import Form
from mcuc.schedule.call import Caller
from mcuc.schedule.growth import Growth, work_in
from mcuc.schedule.needs import LONGEST_RUN
from mcuc.schedule.search import Search
from mcuc.schedule.spec import Tile
from mcuc.schedule.storage import ALIGN
from mcuc.schedule.tile import Tiled, chains

ROWS = (1, 2, 3, 4, 5, 6, 8)  # of a band
COLUMNS = (1, 2, 4, 8, 16)  # of a block
GRAINS = 1000  # of a limit: paths that differ by less memory count as alike


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
    """

    first: int
    end: int
    caller: Caller
    twice: int
    work: int
    fixed: int
    scratch: int


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


class _Stairs:
    """Pairs of rings and scratch of which none is as low as another in both."""

    def __init__(self) -> None:
        self._rings: list[int] = []  # rising, while their scratch falls
        self._scratch: list[int] = []

    def lower(self, rings: int, scratch: int) -> bool:
        """Adds a pair; False where one that is there is as low in both."""
        at = bisect.bisect_right(self._rings, rings)
        if at and self._scratch[at - 1] <= scratch:
            return False
        start = bisect.bisect_left(self._rings, rings)
        end = start
        while end < len(self._scratch) and self._scratch[end] >= scratch:
            end += 1
        self._rings[start:end] = [rings]
        self._scratch[start:end] = [scratch]
        return True


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
        self._made: dict[tuple[Tile, bool], Tiled] = {}
        self._callers, self._faster = callers, faster
        self._plain = {(run.first, end): run for end, runs in first.runs.items() for run in runs}
        self._floors: dict[tuple[int, int], int] = {}
        self._rings: dict[tuple[_Option, ...], int] = {}
        self._joined: dict[tuple[Caller, int, Caller], bool] = {}
        count = len(self.order.callers)
        self._alive = [self.order.around(k, k) for k in range(count)]
        self._options = [[_option(k, k + 1, c, 0)] for k, c in enumerate(self.order.callers)]
        at = {caller.index: k for k, caller in enumerate(self.order.callers)}
        pushed = self.order.storage.pushed  # rows that the application delivers are there once
        for chain in chains(self.order.graph, callers):
            if any(v in pushed for i in chain for v in callers[i].node.inputs):
                continue
            start, end = at[chain[0]], at[chain[-1]] + 1
            options = [_option(start, end, *self._tile(t)) for t in self._shapes(chain)]
            self._options[start] += [option for option in options if option.twice <= most_macs]

    def within(self, limit: int) -> Choice | None:
        """Tiles with which every run keeps to `limit` bytes, with the least done twice."""
        if self._shortest(limit, priced=False) is None:
            return None  # seen sooner, as no more paths differ than in memory
        path = self._shortest(limit)
        return None if path is None else self._choice(path, limit)

    def _shortest(self, limit: int, priced: bool = True) -> _Path | None:
        """The path to the end; unless `priced`, any one, whatever it does twice."""
        count = len(self.order.callers)
        ended = [False] * (count + 1)
        grain = max(1, limit // GRAINS)
        known: dict[tuple[_Option, ...], _Stairs] = {}
        queue: list[tuple[int, int, int, _Path, _Option]] = []
        number = itertools.count()

        def go_on(path: _Path) -> None:
            for option in self._options[path.end]:
                twice, work = path.twice + option.twice, path.work + option.work
                if not priced:
                    twice, work = 0, -path.end
                if twice <= self.most_macs:
                    heapq.heappush(queue, (twice, work, next(number), path, option))

        go_on(_Path(None, (), 0, 0, 0, 0, ()))
        while queue:
            *_, shorter, option = heapq.heappop(queue)
            path = self._longer(shorter, option, limit)
            if path is None:
                continue
            # what follows depends on the members from the first one on whose ring is open
            since = min((k for k, _ in path.waiting), default=len(path.members) - 1)
            alike = (path.members[0], *path.members[since:])
            if not known.setdefault(alike, _Stairs()).lower(
                path.rings // grain, path.scratch // grain
            ):
                continue
            if not ended[path.end] and self._need(path, limit) is not None:
                if path.end == count:
                    return path
                ended[path.end] = True
                go_on(_Path(path, (), path.twice, path.work, 0, 0, ()))
            if path.end < count and len(path.members) < LONGEST_RUN:
                go_on(path)
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
        caller = option.caller
        if not path.members:
            return True
        if not (caller.streams and path.members[-1].caller.streams):
            return False
        for position in caller.kernel.operands:
            value = caller.node.inputs[position]
            born = None if value is None else self.order.born.get(self.order.root[value])
            if born is None or born < path.members[0].first:
                continue
            producer = next(m.caller for m in reversed(path.members) if m.first <= born)
            key = caller, position, producer
            if key not in self._joined:
                same = value == producer.node.outputs[0]
                self._joined[key] = same and caller.reads_rows_of(position, producer)
            if not self._joined[key]:
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
        # nothing is computed twice when each later node reads one row
        free = all(_kernel_rows(self._callers[i]) == 1 for i in chain[1:])
        if COLUMNS[0] < width:
            for rows in ROWS[:1] if free else ROWS:
                if rows == 1 or rows < height:
                    yield Tile(chain, rows, COLUMNS[0])

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
        for columns in COLUMNS[1:]:
            wider = Tile(tile.nodes, tile.rows, columns)
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


def _option(first: int, end: int, caller: Caller, twice: int) -> _Option:
    folds = caller.kernel.form is Form.FOLD
    fixed = 4 + (caller.kernel.acc_bytes(caller.site) if caller.kernel.acc_bytes else 0)
    scratch = 0 if folds else -(-caller.scratch_bytes // ALIGN) * ALIGN
    return _Option(first, end, caller, twice, work_in(caller, caller.units), fixed, scratch)


def _kernel_rows(caller: Caller) -> int:
    window = caller.window if caller.kernel.form is Form.WINDOW else None
    return 1 if window is None else window.kernel[0]
