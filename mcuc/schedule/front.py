"""The front: every schedule that no other one beats in both memory and predicted instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mcuc.ir.graph import Graph
from mcuc.schedule.call import Caller
from mcuc.schedule.needs import Order
from mcuc.schedule.recompute import with_tiles
from mcuc.schedule.search import Search, need_of, work_of
from mcuc.schedule.spec import Schedule


@dataclass(frozen=True)
class Point:
    """One choice.

    Attributes:
        ram_bytes: Need of its largest segment: the arena, but for what placement may add.
        instructions: Predicted.
        macs: Executed.
        schedule: How.
    """

    ram_bytes: int
    instructions: int
    macs: int
    schedule: Schedule


def front(
    graph: Graph,
    kernels: Mapping[int | None, Mapping[int, Caller]],
    input_mode: str,
    max_recompute: float = 0.0,
) -> tuple[Point, ...]:
    """The points, least memory first.

    Args:
        graph: The graph.
        kernels: Limit of the kernels' scratch -> the nodes with their kernels; None = no limit,
            the fastest.
        input_mode: See `lower`.
        max_recompute: Percent by which the MACs executed may exceed those of layer by layer, or
            math.inf.

    Raises:
        ScheduleError: E305 when the input comes in rows and the first nodes cannot stream.
    """
    points: list[Point] = []
    for limit, callers in kernels.items():
        first = Search(Order(graph, callers, input_mode))
        points += _points(first, limit)
        if limit is not None or len(kernels) == 1:  # with room, tiles have the fastest kernels too
            most = sum(caller.macs for caller in callers.values()) * max_recompute / 100.0
            for search in with_tiles(callers, first, most, kernels[None]):
                points += _points(search, limit)
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (p.ram_bytes, p.instructions)):
        if not best or point.instructions < best[-1].instructions:
            best.append(point)
    return tuple(best)


def _points(search: Search, scratch_limit: int | None) -> Iterator[Point]:
    for cuts in search.front():
        schedule = replace(search.schedule(cuts), scratch_limit=scratch_limit)
        yield Point(need_of(cuts), work_of(cuts), sum(run.macs for run in cuts), schedule)
