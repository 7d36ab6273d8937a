"""Less memory by tiles: chains of a stream's nodes run in blocks instead of over whole rows.

A greedy descent: in the run that needs most, the chain is cut that saves most bytes for each
multiply-accumulate done twice, until nothing helps any more or the limit is reached; tiles of other
runs become taller, so less is done twice, as far as those runs stay smaller. Every state on the way
is a `Search` of its own, whose front adds points with less memory and more work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcuc.ir.graph import Graph
from mcuc.ir.program import Form
from mcuc.schedule.call import Caller
from mcuc.schedule.needs import Growth, Order, Run
from mcuc.schedule.search import Search, need_of
from mcuc.schedule.spec import Tile
from mcuc.schedule.tile import Tiled, chains, tiled

ROWS = (1, 2, 3, 4, 6, 8)
COLUMNS = (8, 4)
MOST_STEPS = 64
TRIED = 8  # chains per step, those with the largest rings inside first


@dataclass(frozen=True)
class _Change:
    """Tiles instead of the known ones, what they save in a run, and what MACs they add."""

    tiles: tuple[Tile, ...]
    saved: int
    macs: int


def with_tiles(
    graph: Graph, callers: Mapping[int, Caller], first: Search, most_macs: float
) -> Iterator[Search]:
    """Searches with more and more tiles, each needing less memory than the one before.

    Args:
        graph, callers: As `first` got them.
        first: The search without tiles.
        most_macs: Limit of the MACs executed in the whole graph; math.inf = none.
    """
    descent = _Descent(graph, callers, first.input_mode, most_macs)
    search, least = first, need_of(first.least_memory())
    for _ in range(MOST_STEPS):
        tiles = descent.next_tiles(search)
        if tiles is None:
            return
        search = Search(graph, callers, first.input_mode, tiles, descent.known)
        if need_of(search.least_memory()) < least:
            least = need_of(search.least_memory())
            yield search


class _Descent:
    def __init__(
        self, graph: Graph, callers: Mapping[int, Caller], input_mode: str, most_macs: float
    ) -> None:
        self.graph, self.callers, self.input_mode = graph, callers, input_mode
        self.most_macs = most_macs
        outside = graph.inputs if input_mode == "streamed" else ()
        # rows that the application delivers are there once
        self.chains = [
            chain
            for chain in chains(graph, callers)
            if not any(v in outside for i in chain for v in callers[i].node.inputs)
        ]
        self.known: dict[Tile, Tiled] = {}
        self._readers: dict[int, list[Caller]] = {}
        for caller in callers.values():
            for v in caller.node.inputs:
                if v is not None:
                    self._readers.setdefault(v, []).append(caller)

    def next_tiles(self, search: Search) -> tuple[Tile, ...] | None:
        """The tiles of the next state; None at the end."""
        cuts = search.least_memory()
        if not cuts:
            return None
        peak = max(cuts, key=lambda run: run.need_bytes)
        taller = self._taller(search, cuts, peak)
        if taller is not None:
            return taller.tiles
        change = self._smaller(search, peak, sum(run.macs for run in cuts))
        return None if change is None else change.tiles

    def _smaller(self, search: Search, peak: Run, macs: int) -> _Change | None:
        """The change that saves most in the largest run for the MACs that it adds."""
        found: tuple[float, _Change] | None = None
        for chain in self._promising(search, peak):
            for tile in self._options(chain):
                change = self._change(search, peak, tile)
                if change is None or change.saved <= 0 or macs + change.macs > self.most_macs:
                    continue
                score = change.saved / (1 + max(0, change.macs))
                if found is None or score > found[0]:
                    found = score, change
        return None if found is None else found[1]

    def _taller(self, search: Search, cuts: Sequence[Run], peak: Run) -> _Change | None:
        """A change that takes MACs away, in a run that stays smaller than the largest."""
        best: _Change | None = None
        for run in cuts:
            for caller in search.order.callers[run.first : run.end]:
                if not isinstance(caller, Tiled) or run is peak:
                    continue
                tile = caller.tile
                for rows in (r for r in ROWS if tile.rows < r < caller.output_shape[0]):
                    taller = Tile(tile.nodes, rows, tile.columns)
                    change = self._change(search, run, taller)
                    fits = change and run.need_bytes - change.saved < peak.need_bytes
                    if change and fits and change.macs < min(0, best.macs if best else 0):
                        best = change
        return best

    def _promising(self, search: Search, peak: Run) -> list[tuple[int, ...]]:
        """Chains in a run: those tiled already, and those with the largest rings inside, of those
        that do nothing twice and of the others.
        """
        members = search.order.callers[peak.first : peak.end]
        nodes = {i for caller in members for i in _nodes(caller)}
        inside = [chain for chain in self.chains if nodes.issuperset(chain)]
        known = {i for tile in search.tiles for i in tile.nodes[:-1]}

        def between(chain: tuple[int, ...]) -> int:
            return -sum(self._ring(i) for i in chain[:-1] if i not in known)

        free = sorted((c for c in inside if self._free(c)), key=between)[:TRIED]
        others = sorted((c for c in inside if not self._free(c)), key=between)[:TRIED]
        tall = [tile.nodes for tile in search.tiles if nodes.issuperset(tile.nodes)]
        return list(dict.fromkeys([*tall, *free, *others]))

    def _free(self, chain: tuple[int, ...]) -> bool:
        """Nothing is done twice when each later node reads one row."""
        return all(self._kernel_rows(self.callers[i]) == 1 for i in chain[1:])

    @staticmethod
    def _kernel_rows(caller: Caller) -> int:
        window = caller.window if caller.kernel.form is Form.WINDOW else None
        return 1 if window is None else window.kernel[0]

    def _ring(self, i: int) -> int:
        """About what the ring of a node's output takes."""
        caller = self.callers[i]
        readers = self._readers.get(caller.node.outputs[0], [])
        rows = max((self._kernel_rows(c) for c in readers), default=1)
        return rows * caller.row_bytes()

    def _options(self, chain: tuple[int, ...]) -> Iterator[Tile]:
        height, width, _ = self.callers[chain[-1]].output_shape
        for rows in ROWS[:1] if self._free(chain) else ROWS:
            if rows == 1 or rows < height:
                for columns in COLUMNS:
                    if columns < width:
                        yield Tile(chain, rows, columns)

    def _change(self, search: Search, run: Run, tile: Tile) -> _Change | None:
        """What one tile does to a run; None when the run cannot be made with it."""
        gone = [t for t in search.tiles if set(t.nodes) & set(tile.nodes)]
        extra = self._extra(tile) - sum(self._extra(t) for t in gone)
        tiles = [*(t for t in search.tiles if t not in gone), tile]
        order = Order(self.graph, tiled(self.callers, tiles, self.known), self.input_mode)
        members = search.order.callers
        first, last = _nodes(members[run.first])[0], members[run.end - 1].index
        at = {caller.index: k for k, caller in enumerate(order.callers)}
        if last in at:
            for made in Growth(order, at[last] + 1).runs():
                if _nodes(order.callers[made.first])[0] == first:
                    saved = run.need_bytes - made.need_bytes
                    return _Change(tuple(sorted(tiles, key=lambda t: t.nodes)), saved, extra)
        return None

    def _extra(self, tile: Tile) -> int:
        """MACs that a tile does twice."""
        if tile not in self.known:
            parts = tuple(self.callers[i] for i in tile.nodes)
            self.known[tile] = Tiled.of(parts, tile)
        return self.known[tile].macs - sum(self.callers[i].macs for i in tile.nodes)


def _nodes(caller: Caller) -> tuple[int, ...]:
    return caller.tile.nodes if isinstance(caller, Tiled) else (caller.index,)
