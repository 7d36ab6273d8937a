"""Exact placement by constraint programming (OR-tools CP-SAT): rectangles that must not overlap."""

from __future__ import annotations

from collections.abc import Sequence

from mcuc.ir.program import Buffer

DETERMINISTIC_TIME = 4.0


def solve(
    buffers: Sequence[Buffer], lower: int, upper: int, hint: Sequence[int]
) -> tuple[list[int], bool] | None:
    """Offsets with the least total, and whether that is proven; None when nothing better is found.

    Args:
        buffers: What to place in one region.
        lower: A lower bound on the total.
        upper: Total of the known solution `hint`.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    top = model.new_int_var(lower, upper, "top")
    times, spaces, starts = [], [], []
    for i, buffer in enumerate(buffers):
        slots = (upper - buffer.size_bytes) // buffer.align
        slot = model.new_int_var(0, max(0, slots), f"slot_{i}")
        start = buffer.align * slot
        model.add(start + buffer.size_bytes <= top)
        times.append(
            model.new_fixed_size_interval_var(
                buffer.first, buffer.last - buffer.first + 1, f"time_{i}"
            )
        )
        spaces.append(model.new_fixed_size_interval_var(start, buffer.size_bytes, f"space_{i}"))
        starts.append(start)
        model.add_hint(slot, hint[i] // buffer.align)
    model.add_no_overlap_2d(times, spaces)
    model.minimize(top)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1  # the same input gives the same plan
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = DETERMINISTIC_TIME
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return [int(solver.value(start)) for start in starts], status == cp_model.OPTIMAL
