"""The segment loop, simulated: in which order rows are made, and how many a ring must hold.

Twin of runtime_c/driver/run.c: same decisions in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcuc.ir.program import Need


@dataclass(frozen=True)
class Link:
    """A step's operand that another step of the segment writes.

    Attributes:
        producer: Index of the writing step.
        need: The wait rule of the C table.
        oldest: By row of the reading step: the first producer row it (or a later row) reads.
    """

    producer: int
    need: Need
    oldest: tuple[int, ...]


@dataclass(frozen=True)
class Actor:
    """A step as the loop sees it: the rows it advances over and what it waits for."""

    first: int
    end: int
    links: tuple[Link, ...]
    keep: bool


def events(actors: tuple[Actor, ...]) -> Iterator[tuple[int, int]]:
    """(step, row) in the order in which the loop makes them."""
    next_row = [actor.first for actor in actors]
    for goal in reversed(range(len(actors))):
        if not actors[goal].keep:
            continue
        i = goal
        while next_row[goal] < actors[goal].end:
            blocker = _blocked_by(actors, next_row, i)
            if blocker is not None:
                i = blocker
            else:
                yield i, next_row[i]
                next_row[i] += 1
                i = goal


def _blocked_by(actors: tuple[Actor, ...], next_row: list[int], i: int) -> int | None:
    for link in actors[i].links:
        if next_row[link.producer] < link.need.rows(next_row[i], actors[i].first):
            return link.producer
    return None


def ring_rows(actors: tuple[Actor, ...]) -> list[int]:
    """Row slots that each step's output needs: newest row written minus oldest row still read."""
    slots = [1] * len(actors)
    next_row = [actor.first for actor in actors]
    readers: list[list[tuple[int, Link]]] = [[] for _ in actors]
    for j, actor in enumerate(actors):
        for link in actor.links:
            readers[link.producer].append((j, link))
    for i, row in events(actors):
        oldest = row
        for j, link in readers[i]:
            if next_row[j] < actors[j].end:
                oldest = min(oldest, link.oldest[next_row[j] - actors[j].first])
        slots[i] = max(slots[i], row + 1 - oldest)
        next_row[i] += 1
    return slots


def rows_made(actors: tuple[Actor, ...]) -> list[int]:
    """How many rows each step makes: rows that nobody reads are never made."""
    counts = [0] * len(actors)
    for i, _ in events(actors):
        counts[i] += 1
    return counts
