"""Problem -> MemoryPlan: greedy first, exact where greedy misses the lower bound."""

from __future__ import annotations

from mcuc.ir.program import Program
from mcuc.plan import exact, greedy
from mcuc.plan.access import accesses
from mcuc.plan.conflicts import Conflicts
from mcuc.plan.problem import MemoryPlan, Placement, Problem, does_not_fit
from mcuc.plan.spread import Places, Regions, spread
from mcuc.plan.validate import validate


def plan_memory(program: Program) -> MemoryPlan:
    """Places all buffers of a program, checked by the independent validator.

    Everything lies in the first region, the fastest, if it fits there. Else what a run touches most
    does, and the rest where there is room; in external memory only what fits nowhere else.

    Raises:
        MemoryBudgetError: E401 when the buffers do not fit.
    """
    problem = Problem.of(program)
    conflicts = problem.conflicts
    bound = conflicts.lower_bound()
    offsets, solver, optimal = _one_region(conflicts, bound)
    total = greedy.total(conflicts, offsets)
    first = problem.regions[0]
    free = all(not b.regions or first.name in b.regions for b in problem.buffers)
    alone = len(problem.regions) == 1
    if free and total <= first.size_bytes - (0 if alone else first.reserved_bytes):
        places: Places | None = {i: (0, offset) for i, offset in offsets.items()}
    else:
        places = None if alone else _spread(program, conflicts)
        solver, optimal = "greedy" if places is None else "spread", False
    if places is None:
        raise does_not_fit(problem, total)
    placements = tuple(Placement(*places[i]) for i in range(len(problem.buffers)))
    plan = MemoryPlan(placements, _used(problem, placements), bound, solver, optimal)
    validate(program, plan)
    return plan


def _spread(program: Program, conflicts: Conflicts) -> Places | None:
    """Over several regions, the external ones only if the others do not suffice."""
    regions, counts = program.target.regions, accesses(program)
    for external in sorted({r.external for r in regions}):
        allowed = Regions.of(conflicts, regions, counts, external)
        places = spread(conflicts, allowed, lambda c: _one_region(c, c.lower_bound())[0])
        if places is not None:
            return places
    return None


def _used(problem: Problem, placements: tuple[Placement, ...]) -> tuple[int, ...]:
    used = [0] * len(problem.regions)
    for buffer, place in zip(problem.buffers, placements, strict=True):
        used[place.region] = max(used[place.region], place.offset + buffer.size_bytes)
    return tuple(used)


def _one_region(conflicts: Conflicts, bound: int) -> tuple[dict[int, int], str, bool]:
    offsets = greedy.best(conflicts)
    total = greedy.total(conflicts, offsets)
    if total <= bound:
        return offsets, "greedy", True
    better = exact.solve(conflicts, bound, total, offsets)
    if better is None:
        return offsets, "greedy", False
    return better[0], "exact", better[1]
