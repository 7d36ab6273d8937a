"""Less memory by tiles: chains of a stream's nodes run in blocks instead of over whole rows.

A greedy descent: the largest run, alone or joined with its neighbours, is made smaller by one tile
after another, each the one that saves most bytes for each multiply-accumulate done twice; of the
ways to get there the one with the fewest of those is taken, until nothing helps any more. Tiles of
other runs become taller, so less is done twice, as far as those runs stay smaller. Every state on
the way is a `Search` of its own, whose front adds points with less memory and more work.
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
from mcuc.schedule.tile import Tiled, chains

ROWS = (1, 2, 3, 4, 6, 8)
COLUMNS = (16, 8, 4)  # of a block; a descent keeps to one of them
MOST_STEPS = 64
MOST_TILES = 6  # added in one step
TRIED = 5  # chains for each tile, those with the largest rings inside first
STEP = 0.96  # each step is to leave at most this share of the memory
JOINED = ((0, 1), (0, 2), (0, 3), (0, 4), (-1, 1), (-1, 2))  # runs around the largest

Tiles = tuple[Tile, ...]
Span = tuple[int, int]  # the first and the last node of a run


@dataclass(frozen=True)
class _State:
    """Tiles, and what a run needs with them.

    Attributes:
        tiles: All of the graph.
        need: Of the run, bytes.
        macs: Done twice in the whole graph.
    """

    tiles: Tiles
    need: int
    macs: int


def with_tiles(
    callers: Mapping[int, Caller], input_mode: str, first: Search, most_macs: float, columns: int
) -> Iterator[Search]:
    """Searches with more and more tiles, each needing less memory than the one before.

    Args:
        callers, input_mode: Of the single nodes, as `first` got them.
        first: The search without tiles.
        most_macs: Limit of the MACs done twice in the whole graph; math.inf = none.
        columns: Of a block.
    """
    descent = _Descent(first.order.graph, callers, input_mode, most_macs, columns)
    search, least = first, need_of(first.least_memory())
    for _ in range(MOST_STEPS):
        tiles = descent.next_tiles(search)
        if tiles is None:
            return
        search = Search(descent.order(tiles), tiles)
        if need_of(search.least_memory()) < least:
            least = need_of(search.least_memory())
            yield search


class _Descent:
    def __init__(
        self,
        graph: Graph,
        callers: Mapping[int, Caller],
        input_mode: str,
        most_macs: float,
        columns: int,
    ) -> None:
        self.graph, self.callers, self.input_mode = graph, callers, input_mode
        self.most_macs, self.columns = most_macs, columns
        outside = graph.inputs if input_mode == "streamed" else ()
        # rows that the application delivers are there once
        self.chains = [
            chain
            for chain in chains(graph, callers)
            if not any(v in outside for i in chain for v in callers[i].node.inputs)
        ]
        self._tiled: dict[Tile, Tiled] = {}
        self._orders: dict[Tiles, Order] = {}
        self._rings: dict[tuple[Caller, ...], int] = {}
        self._readers: dict[int, list[Caller]] = {}
        for caller in callers.values():
            for v in caller.node.inputs:
                if v is not None:
                    self._readers.setdefault(v, []).append(caller)

    def order(self, tiles: Tiles) -> Order:
        """The callers with these tiles."""
        if tiles not in self._orders:
            made = dict(self.callers)
            for tile in tiles:
                for i in tile.nodes:
                    made.pop(i)
                made[tile.nodes[-1]] = self._made(tile)
            self._orders[tiles] = Order(self.graph, made, self.input_mode, self._rings)
        return self._orders[tiles]

    def next_tiles(self, search: Search) -> Tiles | None:
        """The tiles of the next state; None at the end."""
        cuts = search.least_memory()
        if not cuts:
            return None
        at = max(range(len(cuts)), key=lambda i: cuts[i].need_bytes)
        peak = cuts[at].need_bytes
        taller = self._taller(search, [cut for i, cut in enumerate(cuts) if i != at], peak)
        if taller is not None:
            return taller
        found: list[_State] = []
        for before, after in JOINED:
            if at + before >= 0 and at + after <= len(cuts):
                joined = self._span(search, cuts[at + before], cuts[at + after - 1])
                state = self._shrunk(search.tiles, joined, STEP * peak, MOST_TILES)
                found += [] if state is None else [state]
        if not found:
            alone = self._shrunk(search.tiles, self._span(search, cuts[at], cuts[at]), peak - 1, 1)
            return None if alone is None else alone.tiles
        return min(found, key=lambda state: (state.macs, len(state.tiles), state.need)).tiles

    @staticmethod
    def _span(search: Search, first: Run, last: Run) -> Span:
        members = search.order.callers
        return _nodes(members[first.first])[0], members[last.end - 1].index

    def _shrunk(self, tiles: Tiles, span: Span, limit: float, most: int) -> _State | None:
        """The run made small enough by at most so many tiles; None when that does not go."""
        need = self._need(tiles, span)
        if need is None:
            return None
        state = _State(tiles, need, sum(self._extra(tile) for tile in tiles))
        for _ in range(most):
            if state.need <= limit:
                break
            better = self._smaller(state, span)
            if better is None:
                return None
            state = better
        return state if state.need <= limit and state.tiles != tiles else None

    def _smaller(self, state: _State, span: Span) -> _State | None:
        """One more tile, or a different one, that saves most for the MACs that it adds."""
        found: tuple[float, _State] | None = None
        for chain in self._promising(state.tiles, span):
            for tile in self._options(chain):
                tiles = self._with(state.tiles, tile)
                macs = sum(self._extra(t) for t in tiles)
                need = None if macs > self.most_macs else self._need(tiles, span)
                if need is None or need >= state.need:
                    continue
                score = (state.need - need) / (1 + max(0, macs - state.macs))
                if found is None or score > found[0]:
                    found = score, _State(tiles, need, macs)
        return None if found is None else found[1]

    def _taller(self, search: Search, others: Sequence[Run], peak: int) -> Tiles | None:
        """Tiles of runs that stay smaller than the largest, with fewer MACs done twice."""
        best: tuple[int, Tiles] | None = None
        for run in others:
            for caller in search.order.callers[run.first : run.end]:
                if not isinstance(caller, Tiled):
                    continue
                tile = caller.tile
                for rows in (r for r in ROWS if tile.rows < r < caller.output_shape[0]):
                    taller = Tile(tile.nodes, rows, tile.columns)
                    tiles = self._with(search.tiles, taller)
                    gain = self._extra(tile) - self._extra(taller)
                    need = self._need(tiles, self._span(search, run, run))
                    if need is not None and need < peak and gain > (best[0] if best else 0):
                        best = gain, tiles
        return None if best is None else best[1]

    def _promising(self, tiles: Tiles, span: Span) -> list[tuple[int, ...]]:
        """Chains in a run: those tiled already, and those with the largest rings inside, of those
        that do nothing twice and of the others.
        """
        inside = [c for c in self.chains if span[0] <= c[0] and c[-1] <= span[1]]
        known = {i for tile in tiles for i in tile.nodes[:-1]}

        def between(chain: tuple[int, ...]) -> int:
            return -sum(self._ring(i) for i in chain[:-1] if i not in known)

        free = sorted((c for c in inside if self._free(c)), key=between)[:TRIED]
        others = sorted((c for c in inside if not self._free(c)), key=between)[:TRIED]
        if self.most_macs <= 0:
            others = []
        tall = [t.nodes for t in tiles if span[0] <= t.nodes[0] and t.nodes[-1] <= span[1]]
        return list(dict.fromkeys([*tall, *free, *others]))

    def _free(self, chain: tuple[int, ...]) -> bool:
        """Nothing is done twice when each later node reads one row."""
        return all(_kernel_rows(self.callers[i]) == 1 for i in chain[1:])

    def _ring(self, i: int) -> int:
        """About what the ring of a node's output takes."""
        caller = self.callers[i]
        readers = self._readers.get(caller.node.outputs[0], [])
        return max((_kernel_rows(c) for c in readers), default=1) * caller.row_bytes()

    def _options(self, chain: tuple[int, ...]) -> Iterator[Tile]:
        height, width, _ = self.callers[chain[-1]].output_shape
        if self.columns < width:
            for rows in ROWS[:1] if self._free(chain) else ROWS:
                if rows == 1 or rows < height:
                    yield Tile(chain, rows, self.columns)

    @staticmethod
    def _with(tiles: Tiles, tile: Tile) -> Tiles:
        """The tiles with one more, without those that it replaces."""
        others = [t for t in tiles if not set(t.nodes) & set(tile.nodes)]
        return tuple(sorted([*others, tile], key=lambda t: t.nodes))

    def _need(self, tiles: Tiles, span: Span) -> int | None:
        """Bytes of the run over these nodes; None when they cannot be one run."""
        order = self.order(tiles)
        end = next((k + 1 for k, c in enumerate(order.callers) if c.index == span[1]), None)
        if end is not None:
            for run in Growth(order, end).runs():
                if _nodes(order.callers[run.first])[0] == span[0]:
                    return run.need_bytes
        return None

    def _made(self, tile: Tile) -> Tiled:
        if tile not in self._tiled:
            self._tiled[tile] = Tiled.of(tuple(self.callers[i] for i in tile.nodes), tile)
        return self._tiled[tile]

    def _extra(self, tile: Tile) -> int:
        """MACs that a tile does twice."""
        return self._made(tile).macs - sum(self.callers[i].macs for i in tile.nodes)


def _kernel_rows(caller: Caller) -> int:
    window = caller.window if caller.kernel.form is Form.WINDOW else None
    return 1 if window is None else window.kernel[0]


def _nodes(caller: Caller) -> tuple[int, ...]:
    return caller.tile.nodes if isinstance(caller, Tiled) else (caller.index,)
