"""Placement in several RAM regions: what a run touches most lies in the fastest.

The cost of a placement is, summed over the buffers, the bytes that a run reads and writes times the
number of faster regions there are. Greedy orders give a first solution, CP-SAT the cheapest one,
and what each region then holds is placed as if it were alone. External memory is not looked at as
long as the others will do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mcuc.ir.target import Region
from mcuc.plan import exact, greedy
from mcuc.plan.conflicts import Conflicts

Places = Mapping[int, tuple[int, int]]  # buffer -> (region, offset)
# Offsets in one region, solved alone: what solve.py does for a board with a single one.
Alone = Callable[[Conflicts], dict[int, int]]


@dataclass(frozen=True)
class Regions:
    """Where each buffer may lie and what that costs.

    Attributes:
        capacities: Bytes that may be used, by region; 0 = not to be used.
        costs: By buffer, by region; None = not allowed there.
    """

    capacities: tuple[int, ...]
    costs: tuple[tuple[int | None, ...], ...]

    @classmethod
    def of(
        cls,
        conflicts: Conflicts,
        regions: Sequence[Region],
        accesses: Sequence[int],
        external: bool,
    ) -> Regions:
        """The regions of a target, the external ones among them or not."""
        capacities = tuple(
            0 if r.external and not external else max(0, r.size_bytes - r.reserved_bytes)
            for r in regions
        )
        costs = tuple(
            tuple(
                rank * count if not b.regions or r.name in b.regions else None
                for rank, r in enumerate(regions)
            )
            for b, count in zip(conflicts.buffers, accesses, strict=True)
        )
        return cls(capacities, costs)

    def cost(self, places: Places) -> int:
        return sum(self.costs[i][r] or 0 for i, (r, _) in places.items())


def spread(conflicts: Conflicts, regions: Regions, alone: Alone) -> Places | None:
    """The cheapest placement that was found; None when there is none."""
    found = [
        p for order in _orders(conflicts, regions) if (p := _first_fit(conflicts, regions, order))
    ]
    best = min(found, key=regions.cost, default=None)
    better = exact.spread(conflicts, regions.capacities, regions.costs, best)
    if better is not None and (best is None or regions.cost(better) < regions.cost(best)):
        best = better
    return None if best is None else _settled(conflicts, regions, best, alone)


def _orders(conflicts: Conflicts, regions: Regions) -> list[list[int]]:
    """Most accesses for its size first; largest first."""
    buffers = conflicts.buffers
    size = [b.size_bytes for b in buffers]
    heat = [max((c or 0 for c in costs), default=0) / b.size_bytes
            for costs, b in zip(regions.costs, buffers, strict=True)]  # fmt: skip
    return [
        sorted(range(len(buffers)), key=lambda i: (-heat[i], -size[i], i)),
        sorted(range(len(buffers)), key=lambda i: (-size[i], i)),
    ]


def _first_fit(conflicts: Conflicts, regions: Regions, order: Sequence[int]) -> Places | None:
    members: list[list[int]] = [[] for _ in regions.capacities]
    places: dict[int, tuple[int, int]] = {}
    for i in order:
        for r, capacity in enumerate(regions.capacities):
            if regions.costs[i][r] is None:
                continue
            trial = [*members[r], i]
            offset = greedy.place(conflicts, trial)[i]
            if offset + conflicts.buffers[i].size_bytes <= capacity:
                members[r] = trial
                places[i] = (r, offset)
                break
        else:
            return None
    return places


def _settled(conflicts: Conflicts, regions: Regions, places: Places, alone: Alone) -> Places:
    """The same regions, the offsets in each as low as can be."""
    result: dict[int, tuple[int, int]] = {}
    for r in range(len(regions.capacities)):
        members = sorted(i for i, (home, _) in places.items() if home == r)
        if not members:
            continue
        part = conflicts.of_members(members)
        offsets = {i: places[i][1] for i in members}
        solved = alone(part)
        if greedy.total(part, solved) <= max(
            offsets[i] + conflicts.buffers[i].size_bytes for i in members
        ):
            offsets = {i: solved[k] for k, i in enumerate(members)}
        result.update({i: (r, at) for i, at in offsets.items()})
    return result
