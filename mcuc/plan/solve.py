"""Problem -> MemoryPlan: greedy first, exact where greedy misses the lower bound."""

from __future__ import annotations

from mcuc.ir.program import Program
from mcuc.plan import exact, greedy
from mcuc.plan.conflicts import Conflicts
from mcuc.plan.problem import MemoryPlan, Placement, Problem, does_not_fit
from mcuc.plan.validate import validate


def plan_memory(program: Program) -> MemoryPlan:
    """Places all buffers of a program, checked by the independent validator.

    The first region is used alone when everything fits there; else buffers go, largest first, to
    the first region that still has room for them.

    Raises:
        MemoryBudgetError: E401 when the buffers do not fit.
    """
    problem = Problem.of(program)
    conflicts = problem.conflicts
    bound = conflicts.lower_bound()
    offsets, solver, optimal = _one_region(conflicts, bound)
    total = greedy.total(conflicts, offsets)
    homes = [i for i, r in enumerate(problem.regions) if total <= r.size_bytes]
    if homes and all(
        not b.regions or problem.regions[homes[0]].name in b.regions for b in problem.buffers
    ):
        used = [0] * len(problem.regions)
        used[homes[0]] = total
        placements = tuple(Placement(homes[0], offsets[i]) for i in range(len(problem.buffers)))
        plan = MemoryPlan(placements, tuple(used), bound, solver, optimal)
    else:
        spread = _spread(problem, conflicts)
        if spread is None:
            raise does_not_fit(problem, total)
        placements, spread_used = spread
        plan = MemoryPlan(placements, spread_used, bound, "greedy", False)
    validate(program, plan)
    return plan


def _one_region(conflicts: Conflicts, bound: int) -> tuple[dict[int, int], str, bool]:
    offsets = greedy.best(conflicts)
    total = greedy.total(conflicts, offsets)
    if total <= bound:
        return offsets, "greedy", True
    better = exact.solve(conflicts, bound, total, offsets)
    if better is None:
        return offsets, "greedy", False
    return better[0], "exact", better[1]


def _spread(
    problem: Problem, conflicts: Conflicts
) -> tuple[tuple[Placement, ...], tuple[int, ...]] | None:
    """First fit over several regions, largest buffers first; None when one finds no place."""
    order = sorted(range(len(problem.buffers)), key=lambda i: (-problem.buffers[i].size_bytes, i))
    members: list[list[int]] = [[] for _ in problem.regions]
    placed: dict[int, Placement] = {}
    for i in order:
        buffer = problem.buffers[i]
        for r, region in enumerate(problem.regions):
            if buffer.regions and region.name not in buffer.regions:
                continue
            trial = [*members[r], i]
            offset = greedy.place(conflicts, trial)[i]
            if offset + buffer.size_bytes <= region.size_bytes:
                members[r] = trial
                placed[i] = Placement(r, offset)
                break
        else:
            return None
    used = tuple(
        max((placed[j].offset + problem.buffers[j].size_bytes for j in group), default=0)
        for group in members
    )
    return tuple(placed[i] for i in range(len(problem.buffers))), used
