"""The planning problem and its solution; after the shape of google/minimalloc."""

from __future__ import annotations

from dataclasses import dataclass

from mcuc.errors import MemoryBudgetError
from mcuc.ir.program import Buffer, Overlap, Program
from mcuc.ir.target import Region
from mcuc.plan.conflicts import Conflicts

BASE_ALIGN = 16
LABEL = 60  # characters of a buffer's name in messages: the end tells more than the beginning


@dataclass(frozen=True)
class Problem:
    """Buffers to be placed in one or more regions.

    Attributes:
        buffers: Lifetimes are inclusive ranges of segment indices.
        regions: In order of preference.
        overlaps: Pairs that need not be apart.
    """

    buffers: tuple[Buffer, ...]
    regions: tuple[Region, ...]
    overlaps: tuple[Overlap, ...] = ()

    @classmethod
    def of(cls, program: Program) -> Problem:
        return cls(program.buffers, program.target.regions, program.overlaps)

    @property
    def conflicts(self) -> Conflicts:
        return Conflicts.of(self.buffers, self.overlaps)


@dataclass(frozen=True)
class Placement:
    """Where a buffer lies."""

    region: int
    offset: int


@dataclass(frozen=True)
class MemoryPlan:
    """A solution.

    Attributes:
        placements: By buffer.
        used_bytes: By region: end of the highest buffer, rounded up to BASE_ALIGN... never less
            than what the placements need.
        lower_bound_bytes: No placement in one region can be smaller.
        solver: "greedy", "exact", or "spread" over several regions.
        optimal: The plan is proven to be the smallest.
    """

    placements: tuple[Placement, ...]
    used_bytes: tuple[int, ...]
    lower_bound_bytes: int
    solver: str
    optimal: bool

    @property
    def arena_bytes(self) -> int:
        return sum(self.used_bytes)


def align_up(value: int, align: int) -> int:
    return -(-value // align) * align


def peak(conflicts: Conflicts) -> tuple[int, int]:
    """(segment, bytes) where most is needed."""
    moment = max(conflicts.moments(), key=conflicts.least_at)
    return moment, conflicts.least_at(moment)


def occupied_bytes(buffers: tuple[Buffer, ...], plan: MemoryPlan, moment: int) -> int:
    """Bytes that live buffers cover in a segment; what overlaps counts once."""
    spans = sorted(
        (place.region, place.offset, place.offset + buffer.size_bytes)
        for buffer, place in zip(buffers, plan.placements, strict=True)
        if buffer.first <= moment <= buffer.last
    )
    total, reached = 0, (-1, 0)
    for region, start, end in spans:
        if region != reached[0]:
            reached = (region, 0)
        total += max(0, end - max(start, reached[1]))
        reached = (region, max(reached[1], end))
    return total


def does_not_fit(problem: Problem, need: int) -> MemoryBudgetError:
    """E401 with need, have, the three largest live buffers at the peak and what to try."""
    have = sum(region.size_bytes for region in problem.regions)
    moment, _ = peak(problem.conflicts)
    live = sorted(
        (b for b in problem.buffers if b.first <= moment <= b.last),
        key=lambda b: -b.size_bytes,
    )[:3]
    largest = [{"label": b.label, "bytes": b.size_bytes, "kind": b.kind} for b in live]
    names = ", ".join(f"{b.label[-LABEL:]} ({b.size_bytes:,} B)" for b in live)
    what = f"the arena needs {need:,} bytes of RAM and there are {have:,}"
    if len(problem.regions) > 1:
        sizes = " + ".join(f"{r.name} {r.size_bytes:,}" for r in problem.regions)
        what += f" in separate regions ({sizes})"
    return MemoryBudgetError(
        "E401",
        what,
        why=f"at the peak (segment {moment}) the largest live buffers are {names}",
        help="use a board with more RAM, a smaller input resolution or width, or `mcuc fit` to "
        "see which boards would do",
        data={"need_bytes": need, "have_bytes": have, "segment": moment, "largest": largest},
    )
