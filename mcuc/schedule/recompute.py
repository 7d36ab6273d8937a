"""Less memory by tiles, limit by limit.

Limits get smaller until none is kept to. Each gives a `Search` of its own, whose front adds points
with less memory and more work.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcuc.schedule.call import Caller
from mcuc.schedule.needs import Order
from mcuc.schedule.search import Search, need_of
from mcuc.schedule.tile import tiled
from mcuc.schedule.tiling import Tiling

STEP = 0.92  # each limit, by what the search before needed
FINEST = 0.005  # the least limit is found to this share of it


def with_tiles(
    callers: Mapping[int, Caller],
    first: Search,
    most_macs: float,
    faster: Mapping[int, Caller] | None = None,
) -> Iterator[Search]:
    """Searches with tiles, each needing less memory than the one before.

    Args:
        callers: The single nodes.
        first: The search without tiles.
        most_macs: Limit of the MACs done twice in the whole graph; math.inf = none.
        faster: The nodes with faster kernels, which take the place where memory is left.
    """
    order, faster = first.order, faster or {}
    tiling = Tiling(first, callers, most_macs, faster)
    least, failed = need_of(first.least_memory()), 0
    limit = least - 1
    while limit > failed:
        found = tiling.within(limit)
        if found is None:
            failed = limit
        else:
            single = {**callers, **{i: faster[i] for i in found.fastest}}
            made = tiled(single, found.tiles)
            search = Search(
                Order(order.graph, made, order.input_mode, order), found.tiles, found.fastest
            )
            least = min(limit, need_of(search.least_memory()))
            yield search
        if failed == 0:
            limit = min(least - 1, int(STEP * least))
        elif least - failed > FINEST * least:
            limit = (least + failed) // 2
        else:
            return
