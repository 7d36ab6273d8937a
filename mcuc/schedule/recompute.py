"""Less memory by tiles, limit by limit.

Limits get smaller until none is kept to; then some lie between them. Each gives a `Search` of its
own, whose front adds points with less memory and more work.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from mcuc.schedule.call import Caller
from mcuc.schedule.needs import Order
from mcuc.schedule.search import Search, need_of, work_of
from mcuc.schedule.tile import tiled
from mcuc.schedule.tiling import Tiling

STEP = 0.92  # each limit, by what the search before needed
FINEST = 0.005  # the least limit is found to this share of it
BETWEEN = 4  # limits between those, where a little memory saves much work:
FINE = 0.02  # at most so little memory,
WORTH = 1.05  # at least so much work


def with_tiles(
    callers: Mapping[int, Caller],
    first: Search,
    most_macs: float,
    faster: Mapping[int, Caller] | None = None,
) -> Iterator[Search]:
    """Searches with tiles, each for a limit of memory.

    Args:
        callers: The single nodes.
        first: The search without tiles.
        most_macs: Limit of the MACs done twice in the whole graph; math.inf = none.
        faster: The nodes with faster kernels, which take the place where memory is left.
    """
    tiling = Tiling(first, callers, most_macs, faster or {})
    least = need_of(first.least_memory())
    steps = [(least, work_of(first.least_memory()))]  # (bytes, work), less and less memory
    limit, failed = least - 1, 0
    while limit > failed:
        search = _within(tiling, limit, callers, faster or {})
        if search is None:
            failed = limit
            if tiling.gave_up:
                break
        else:
            least = min(limit, need_of(search.least_memory()))
            steps.append((least, work_of(search.least_memory())))
            yield search
        if failed == 0:
            limit = min(least - 1, int(STEP * least))
        elif least - failed > FINEST * least:
            limit = (least + failed) // 2
        else:
            break
    for _ in range(BETWEEN):
        gaps = [
            (work / other, (need + more) // 2)
            for (more, other), (need, work) in itertools.pairwise(steps)
            if more - need > FINE * need
        ]
        if not gaps or max(gaps)[0] < WORTH:
            return
        limit = max(gaps)[1]
        search = _within(tiling, limit, callers, faster or {})
        if search is None:
            return
        steps = sorted([*steps, (limit, work_of(search.within(limit)))], reverse=True)
        yield search


def _within(
    tiling: Tiling, limit: int, callers: Mapping[int, Caller], faster: Mapping[int, Caller]
) -> Search | None:
    found = tiling.within(limit)
    if found is None:
        return None
    order = tiling.order
    made = tiled({**callers, **{i: faster[i] for i in found.fastest}}, found.tiles)
    again = Order(order.graph, made, order.input_mode, order)
    return Search(again, found.tiles, found.fastest)
