"""The segment loop, simulated: in which order rows are made, and how many a ring must hold.

A step advances by units: an output row, an input row of a fold, or a band of rows.

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
        need: The wait rule of the C table, in units.
        oldest: By unit of the reading step: the first producer row it (or a later unit) reads.
    """

    producer: int
    need: Need
    oldest: tuple[int, ...]


@dataclass(frozen=True)
class Actor:
    """A step as the loop sees it: the units it advances over and what it waits for.

    Attributes:
        first, end: Units.
        links: What it waits for.
        keep: Its rows are wanted after the segment.
        rows: How many rows there are after n units, n = 0 .. all.
    """

    first: int
    end: int
    links: tuple[Link, ...]
    keep: bool
    rows: tuple[int, ...]


def events(actors: tuple[Actor, ...]) -> Iterator[tuple[int, int]]:
    """(step, unit) in the order in which the loop makes them."""
    at = [actor.first for actor in actors]
    for goal in reversed(range(len(actors))):
        if not actors[goal].keep:
            continue
        i = goal
        while at[goal] < actors[goal].end:
            blocker = _blocked_by(actors, at, i)
            if blocker is not None:
                i = blocker
            else:
                yield i, at[i]
                at[i] += 1
                i = goal


def _blocked_by(actors: tuple[Actor, ...], at: list[int], i: int) -> int | None:
    for link in actors[i].links:
        if at[link.producer] < link.need.rows(at[i], actors[i].first):
            return link.producer
    return None


def ring_rows(actors: tuple[Actor, ...]) -> list[int]:
    """Row slots that each step's output needs: newest row written minus oldest row still read."""
    slots = [1] * len(actors)
    at = [actor.first for actor in actors]
    readers: list[list[tuple[int, Link]]] = [[] for _ in actors]
    for j, actor in enumerate(actors):
        for link in actor.links:
            readers[link.producer].append((j, link))
    for i, unit in events(actors):
        oldest, newest = actors[i].rows[unit : unit + 2]
        for j, link in readers[i]:
            if at[j] < actors[j].end:
                oldest = min(oldest, link.oldest[at[j] - actors[j].first])
        slots[i] = max(slots[i], newest - oldest)
        at[i] += 1
    return slots


def units_made(actors: tuple[Actor, ...]) -> list[int]:
    """How many units each step makes: rows that nobody reads are never made."""
    counts = [0] * len(actors)
    for i, _ in events(actors):
        counts[i] += 1
    return counts
