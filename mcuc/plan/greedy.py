"""Greedy placement: largest first, lowest gap among the buffers that live at the same time."""

from __future__ import annotations

from collections.abc import Sequence

from mcuc.ir.program import Buffer
from mcuc.plan.problem import align_up


def place(buffers: Sequence[Buffer], order: Sequence[int]) -> list[int]:
    """Offsets of all buffers, placed in the given order at the lowest free place."""
    offsets = [0] * len(buffers)
    placed: list[int] = []
    for i in order:
        buffer = buffers[i]
        neighbours = sorted(
            (offsets[j], offsets[j] + buffers[j].size_bytes)
            for j in placed
            if buffers[j].first <= buffer.last and buffer.first <= buffers[j].last
        )
        offset = 0
        for start, end in neighbours:
            if offset + buffer.size_bytes <= start:
                break
            offset = max(offset, align_up(end, buffer.align))
        offsets[i] = offset
        placed.append(i)
    return offsets


def total(buffers: Sequence[Buffer], offsets: Sequence[int]) -> int:
    """Bytes from 0 to the end of the highest buffer."""
    return max((o + b.size_bytes for b, o in zip(buffers, offsets, strict=True)), default=0)


def best_order(buffers: Sequence[Buffer]) -> list[int]:
    """The better of a few classic orders: by size, by size times lifetime, by start."""
    indices = range(len(buffers))
    size = [b.size_bytes for b in buffers]
    span = [b.last - b.first + 1 for b in buffers]
    orders = [
        sorted(indices, key=lambda i: (-size[i], -span[i], i)),
        sorted(indices, key=lambda i: (-size[i] * span[i], i)),
        sorted(indices, key=lambda i: (-span[i], -size[i], i)),
        sorted(indices, key=lambda i: (buffers[i].first, -size[i], i)),
    ]
    return min(orders, key=lambda order: total(buffers, place(buffers, order)))
