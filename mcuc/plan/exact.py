"""Exact placement by constraint programming (OR-tools CP-SAT).

Time is doubled: a dying input that an output may grow into lives through the first half of the
common segment only, the output from the second half on. So the two are no rectangles that exclude
each other, while everything else is apart from both; the distance is a constraint of its own.
"""

from __future__ import annotations

from typing import Any

from mcuc.plan.conflicts import Conflicts

DETERMINISTIC_TIME = 4.0


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
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same input gives the same plan
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = DETERMINISTIC_TIME
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    offsets = {i: int(solver.value(start)) for i, start in enumerate(starts)}
    return offsets, status == cp_model.OPTIMAL


def _pairs(
    model: Any, conflicts: Conflicts, starts: list[Any], early: set[int], late: set[int]
) -> None:
    """Pairs that the halved segments no longer keep apart: by distance, or apart after all."""
    for source in early:
        for out in late:
            if out == source or not conflicts.together(source, out):
                continue
            if conflicts.buffers[out].first < conflicts.buffers[source].last:
                continue
            lead = conflicts.buffers[out].size_bytes
            lead = min(lead, conflicts.distances.get((out, source), lead))
            below = model.new_bool_var(f"below_{out}_{source}")
            model.add(starts[source] - starts[out] >= lead).only_enforce_if(below)
            model.add(
                starts[out] - starts[source] >= conflicts.buffers[source].size_bytes
            ).only_enforce_if(~below)
