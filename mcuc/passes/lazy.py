"""Transpositions that are not done yet: the algebra that `layout` is made of.

A value v is *moved* when all that exists of it is u with v = transpose(u, perm). Nothing here knows
of graphs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Perm = tuple[int, ...]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Moved:
    """v = transpose(u, perm): axis i of v is axis perm[i] of u."""

    u: int
    perm: Perm


def inverse(perm: Sequence[int]) -> Perm:
    return tuple(list(perm).index(i) for i in range(len(perm)))


def compose(first: Sequence[int], then: Sequence[int]) -> Perm:
    """The permutation p with transpose(transpose(x, first), then) = transpose(x, p)."""
    return tuple(first[i] for i in then)


def is_identity(perm: Sequence[int]) -> bool:
    return list(perm) == list(range(len(perm)))


def moved_shape(shape: Sequence[int], perm: Sequence[int]) -> Shape:
    """The shape of transpose(x, perm)."""
    return tuple(shape[i] for i in perm)


def is_free(shape: Sequence[int], perm: Sequence[int]) -> bool:
    """Whether transpose(x, perm) of x with that shape leaves the memory as it is."""
    kept = [axis for axis in perm if shape[axis] > 1]
    return kept == sorted(kept)


def through_reshape(before: Shape, perm: Perm, after: Shape) -> tuple[Shape, Perm] | None:
    """(shape, p): reshape(transpose(u, perm), after) = transpose(reshape(u, shape), p), or None.

    The axes of both shapes fall into blocks of equal products. A block may be split or joined as
    one likes where its axes lie one behind the other in u in the same order. Axes of size 1 stay
    where they are.

    Args:
        before: Shape of transpose(u, perm).
        perm: As above.
        after: The new shape.
    """
    blocks = _blocks(before, after)
    if blocks is None:
        return None
    place = {axis: n for n, axis in enumerate(a for a in _by_source(perm) if before[a] > 1)}
    for own, _ in blocks:
        places = [place[axis] for axis in own]
        if places != list(range(places[0], places[0] + len(places))):
            return None
    order = [axis for own, new in sorted(blocks, key=lambda b: place[b[0][0]]) for axis in new]
    slots = [i for i, n in enumerate(after) if n > 1]
    result = list(range(len(after)))
    shape = [1] * len(after)
    for slot, axis in zip(slots, order, strict=True):
        result[axis] = slot
        shape[slot] = after[axis]
    return tuple(shape), tuple(result)


def _by_source(perm: Perm) -> list[int]:
    """Axes of v in the order of the axes of u."""
    return sorted(range(len(perm)), key=lambda axis: perm[axis])


def _blocks(before: Shape, after: Shape) -> list[tuple[list[int], list[int]]] | None:
    """Axes of both shapes that hold the same elements; axes of size 1 in none."""
    left = [i for i, n in enumerate(before) if n > 1]
    right = [i for i, n in enumerate(after) if n > 1]
    blocks: list[tuple[list[int], list[int]]] = []
    while left and right:
        own, new = [left.pop(0)], [right.pop(0)]
        while True:
            a, b = (math.prod(s[i] for i in axes) for s, axes in ((before, own), (after, new)))
            if a == b:
                break
            if a < b and left:
                own.append(left.pop(0))
            elif a > b and right:
                new.append(right.pop(0))
            else:
                return None
        blocks.append((own, new))
    return None if left or right else blocks
