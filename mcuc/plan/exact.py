"""Exact placement by constraint programming (OR-tools CP-SAT).

Time is doubled: a dying input that an output may grow into lives through the first half of the
common segment only, the output from the second half on. So the two are no rectangles that exclude
each other, while everything else is apart from both; the distance is a constraint of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mcuc.plan.conflicts import Conflicts

# How long it looks, in the solver's own measure; many buffers make all of it slow and rarely pay.
DETERMINISTIC_TIME = 4.0
MANY, DETERMINISTIC_TIME_OF_MANY = 100, 0.25


def solve(
    conflicts: Conflicts, lower: int, upper: int, hint: dict[int, int]
) -> tuple[dict[int, int], bool] | None:
    """Offsets with the least total, and whether that is proven; None when nothing better is found.

    Args:
        conflicts: What to place in one region.
        lower: A lower bound on the total.
        upper: Total of the known solution.
        hint: The known solution.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    top = model.new_int_var(lower, upper, "top")
    early = {source for _, source in conflicts.distances}
    late = {out for out, _ in conflicts.distances}
    times, spaces, starts = [], [], []
    for i, buffer in enumerate(conflicts.buffers):
        slots = max(0, (upper - buffer.size_bytes) // buffer.align)
        slot = model.new_int_var(0, slots, f"slot_{i}")
        start = buffer.align * slot
        model.add(start + buffer.size_bytes <= top)
        begin = 2 * buffer.first + (i in late)
        end = 2 * buffer.last + 1 - (i in early)
        times.append(model.new_fixed_size_interval_var(begin, end - begin + 1, f"time_{i}"))
        spaces.append(model.new_fixed_size_interval_var(start, buffer.size_bytes, f"space_{i}"))
        starts.append(start)
        model.add_hint(slot, hint[i] // buffer.align)
    model.add_no_overlap_2d(times, spaces)
    _pairs(model, conflicts, starts, early, late)
    model.minimize(top)
    solver = _solver(cp_model, len(conflicts.buffers))
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    offsets = {i: int(solver.value(start)) for i, start in enumerate(starts)}
    return offsets, status == cp_model.OPTIMAL


def spread(
    conflicts: Conflicts,
    capacities: Sequence[int],
    costs: Sequence[Sequence[int | None]],
    hint: Mapping[int, tuple[int, int]] | None,
) -> dict[int, tuple[int, int]] | None:
    """Region and offset of each buffer with the least sum of costs; None when none is found.

    Args:
        conflicts: What to place.
        capacities: Bytes by region.
        costs: By buffer, by region; None = not allowed there.
        hint: A known solution.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    count = range(len(capacities))
    homes = [[model.new_bool_var(f"home_{i}_{r}") for r in count] for i in range(len(costs))]
    starts = []
    for i, buffer in enumerate(conflicts.buffers):
        slot = model.new_int_var(0, max(capacities) // buffer.align, f"slot_{i}")
        starts.append(buffer.align * slot)
        model.add_exactly_one(homes[i])
        if hint is not None:
            model.add_hint(slot, hint[i][1] // buffer.align)
            for r, home in enumerate(homes[i]):
                model.add_hint(home, hint[i][0] == r)
    for r, capacity in enumerate(capacities):
        for i, cost in enumerate(costs):
            if cost[r] is None or conflicts.buffers[i].size_bytes > capacity:
                model.add(homes[i][r] == 0)
        _place_in_region(model, conflicts, capacity, starts, [home[r] for home in homes])
    model.minimize(
        sum((costs[i][r] or 0) * home for i, of in enumerate(homes) for r, home in enumerate(of))
    )
    solver = _solver(cp_model, len(conflicts.buffers))
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return {
        i: (next(r for r in count if solver.value(homes[i][r])), int(solver.value(start)))
        for i, start in enumerate(starts)
    }


def _place_in_region(
    model: Any, conflicts: Conflicts, capacity: int, starts: list[Any], here: list[Any]
) -> None:
    """Those of the buffers that lie `here` are inside the capacity and apart from each other."""
    early = {source for _, source in conflicts.distances}
    late = {out for out, _ in conflicts.distances}
    optional = model.new_optional_fixed_size_interval_var
    times, spaces = [], []
    for i, buffer in enumerate(conflicts.buffers):
        model.add(starts[i] + buffer.size_bytes <= capacity).only_enforce_if(here[i])
        begin = 2 * buffer.first + (i in late)
        length = 2 * buffer.last + 2 - (i in early) - begin
        times.append(optional(begin, length, here[i], f"time_{here[i].name}"))
        spaces.append(optional(starts[i], buffer.size_bytes, here[i], f"space_{here[i].name}"))
    model.add_no_overlap_2d(times, spaces)
    _pairs(model, conflicts, starts, early, late, here)


def _solver(cp_model: Any, buffers: int) -> Any:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same input gives the same plan
    solver.parameters.random_seed = 0
    time = DETERMINISTIC_TIME_OF_MANY if buffers > MANY else DETERMINISTIC_TIME
    solver.parameters.max_deterministic_time = time
    return solver


def _pairs(
    model: Any,
    conflicts: Conflicts,
    starts: list[Any],
    early: set[int],
    late: set[int],
    here: Sequence[Any] | None = None,
) -> None:
    """Pairs that the halved segments no longer keep apart: by distance, or apart after all.

    With `here`, which tells whether a buffer lies in the region, of those that both do.
    """
    for source in early:
        for out in late:
            if out == source or not conflicts.together(source, out):
                continue
            if conflicts.buffers[out].first < conflicts.buffers[source].last:
                continue
            lead = conflicts.buffers[out].size_bytes
            lead = min(lead, conflicts.distances.get((out, source), lead))
            below = model.new_bool_var(f"below_{out}_{source}")
            both = [] if here is None else [here[out], here[source]]
            model.add(starts[source] - starts[out] >= lead).only_enforce_if([below, *both])
            model.add(
                starts[out] - starts[source] >= conflicts.buffers[source].size_bytes
            ).only_enforce_if([~below, *both])
