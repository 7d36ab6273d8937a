"""Greedy placement: one buffer after another at the lowest offset that its neighbours leave."""

from __future__ import annotations

from collections.abc import Sequence

from mcuc.plan.conflicts import Conflicts
from mcuc.plan.problem import align_up


def place(conflicts: Conflicts, order: Sequence[int]) -> dict[int, int]:
    """Offsets of the buffers in `order`, each placed at the lowest free place."""
    offsets: dict[int, int] = {}
    for i in order:
        excluded = sorted(
            pair for j, at in offsets.items() if (pair := conflicts.excluded(i, j, at)) is not None
        )
        align = conflicts.buffers[i].align
        offset = 0
        for low, high in excluded:
            if low < offset < high:
                offset = align_up(high, align)
        offsets[i] = _lowest(offset, excluded, align)
    return offsets


def _lowest(offset: int, excluded: Sequence[tuple[int, int]], align: int) -> int:
    """The first offset from `offset` on that no interval excludes."""
    moved = True
    while moved:
        moved = False
        for low, high in excluded:
            if low < offset < high:
                offset, moved = align_up(high, align), True
    return offset


def total(conflicts: Conflicts, offsets: dict[int, int]) -> int:
    """Bytes from 0 to the end of the highest buffer."""
    return max((at + conflicts.buffers[i].size_bytes for i, at in offsets.items()), default=0)


def best(conflicts: Conflicts) -> dict[int, int]:
    """The best of a few classic orders: by size, size times lifetime, lifetime, start, end."""
    buffers = conflicts.buffers
    indices = range(len(buffers))
    size = [b.size_bytes for b in buffers]
    span = [b.last - b.first + 1 for b in buffers]
    orders = [
        sorted(indices, key=lambda i: (-size[i], -span[i], i)),
        sorted(indices, key=lambda i: (-size[i] * span[i], i)),
        sorted(indices, key=lambda i: (-span[i], -size[i], i)),
        sorted(indices, key=lambda i: (buffers[i].first, -size[i], i)),
        sorted(indices, key=lambda i: (-buffers[i].last, -size[i], i)),
    ]
    placements = [place(conflicts, order) for order in orders]
    return min(placements, key=lambda offsets: total(conflicts, offsets))
