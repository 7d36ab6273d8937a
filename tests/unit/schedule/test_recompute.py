"""Tiles for a limit of memory: what the shortest path finds, against all tiles and all cuts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

import pytest

from mcuc.ir.graph import Graph
from mcuc.ir.target import HOST
from mcuc.schedule import tiling
from mcuc.schedule.call import Caller
from mcuc.schedule.lower import callers_of
from mcuc.schedule.needs import Order
from mcuc.schedule.recompute import STEP, with_tiles
from mcuc.schedule.search import Search, need_of
from mcuc.schedule.spec import Tile
from mcuc.schedule.tile import Tiled, chains, tiled
from mcuc.schedule.tiling import Tiling
from tests.property.test_search import with_skips
from tests.support.networks import Network, inverted_residual, random_network

GRAPHS = [
    inverted_residual("block", (9, 7)),
    inverted_residual("wide", (6, 16)),
    *(random_network(seed) for seed in (300, 303, 306)),
    *(with_skips(seed) for seed in (100, 104)),
]
SHAPES = (1, 2)  # rows of a band


def all_tilings(graph: Graph) -> Iterator[tuple[Tile, ...]]:
    """Every choice of tiles without a node in common."""
    callers = callers_of(graph, HOST)
    shapes = [
        Tile(chain, rows, tiling.COLUMNS[0])
        for chain in chains(graph, callers)
        for rows in SHAPES
        if callers[chain[-1]].output_shape[1] > tiling.COLUMNS[0]
        and callers[chain[-1]].output_shape[0] > rows
    ]
    for count in range(4):
        for tiles in itertools.combinations(shapes, count):
            nodes = [i for tile in tiles for i in tile.nodes]
            if len(nodes) == len(set(nodes)):
                yield tuple(sorted(tiles, key=lambda t: t.nodes))


def twice(graph: Graph, tiles: tuple[Tile, ...]) -> int:
    callers = callers_of(graph, HOST)
    made = (Tiled.of(tuple(callers[i] for i in tile.nodes), tile) for tile in tiles)
    return sum(max(0, c.macs - sum(part.macs for part in c.parts)) for c in made)


def search_of(graph: Graph, tiles: tuple[Tile, ...] = ()) -> Search:
    callers = tiled(callers_of(graph, HOST), tiles)
    return Search(Order(graph, callers, "consumed"), tiles)


def tiles_within(
    callers: Mapping[int, Caller], first: Search, limit: int, most_macs: float
) -> tuple[Tile, ...] | None:
    found = Tiling(first, callers, most_macs, {}).within(limit)
    return None if found is None else found.tiles


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda g: g.name)
def test_nothing_does_less_twice(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "ROWS", SHAPES)
    known = [
        (need_of(search_of(graph, tiles).least_memory()), twice(graph, tiles))
        for tiles in itertools.islice(all_tilings(graph), 1500)
    ]
    first = search_of(graph)
    callers = callers_of(graph, HOST)
    wanted = sorted({need for need, _ in known})
    for limit in {wanted[0], wanted[len(wanted) // 2], need_of(first.least_memory())}:
        best = min(macs for need, macs in known if need <= limit)
        found = tiles_within(callers, first, limit, math.inf)
        assert found is not None
        assert need_of(search_of(graph, found).least_memory()) <= limit
        assert twice(graph, found) <= best
        assert tiles_within(callers, first, limit, twice(graph, found)) is not None
        if best:
            assert tiles_within(callers, first, limit, twice(graph, found) - 1) is None
    assert tiles_within(callers, first, 1, math.inf) is None


def test_searches_need_less_and_keep_to_the_limit() -> None:
    graph = inverted_residual("block", (16, 16))
    callers, first = callers_of(graph, HOST), search_of(graph)
    total = sum(caller.macs for caller in callers.values())
    least = []
    for limit in (0, 0.1 * total, math.inf):
        needs = [need_of(first.least_memory())]
        for search in with_tiles(callers, first, limit):
            assert twice(graph, search.tiles) <= limit
            needs.append(need_of(search.least_memory()))
        assert max(needs[1:]) < needs[0]
        least.append(min(needs))
    assert least[0] >= least[1] >= least[2] < least[0]


def residuals(count: int) -> Graph:
    """Inverted residual blocks of stride 1."""
    net = Network("residuals", (1, 12, 12, 4))
    for _ in range(count):
        skip = net.last
        net.conv(24, (1, 1))
        net.depthwise((3, 3), pad="SAME")
        net.conv(4, (1, 1))
        net.add(skip)
    return net.graph()


def test_what_a_limit_of_macs_allows_is_found() -> None:
    """Of paths alike in memory the one that does least twice counts, not the first."""
    graph = residuals(2)
    callers, first = callers_of(graph, HOST), search_of(graph)
    limit = int(0.8 * need_of(first.least_memory()))
    free = tiles_within(callers, first, limit, math.inf)
    assert free is not None
    assert 0 < twice(graph, free) < math.inf
    assert tiles_within(callers, first, limit, twice(graph, free)) is not None


def test_a_search_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with long skips, over which no two paths are alike: what was found by then stands."""
    graph = residuals(3)
    callers, first = callers_of(graph, HOST), search_of(graph)
    least = need_of(first.least_memory())
    needs = []
    for most in (tiling.MOST_STEPS, 20):
        monkeypatch.setattr(tiling, "MOST_STEPS", most)
        searches = with_tiles(callers, first, 0)
        needs.append(min(need_of(search.least_memory()) for search in searches))
    assert needs[0] < needs[1] < least
    limits = Tiling(first, callers, 0, {})
    assert limits.within(int(STEP * needs[1])) is None and limits.gave_up
