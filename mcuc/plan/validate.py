"""Independent check of a memory plan. Shares no code with the solvers: paints memory byte by byte.

A plan that passes is sound for the lifetimes that the program states.
"""

from __future__ import annotations

import numpy as np

from mcuc.errors import InternalError
from mcuc.ir.program import Program
from mcuc.plan.problem import MemoryPlan


def validate(program: Program, plan: MemoryPlan) -> None:
    """Raises InternalError E910 when two live buffers share a byte, or one lies outside."""
    problems: list[str] = []
    regions = program.target.regions
    end = len(program.segments)
    for region in range(len(regions)):
        size = plan.used_bytes[region]
        if size > regions[region].size_bytes:
            problems.append(f"region {regions[region].name} overflows")
        members = [i for i, p in enumerate(plan.placements) if p.region == region]
        for moment in range(-1, end + 1):
            owner = np.full(size, -1, np.int32)
            for i in members:
                buffer, at = program.buffers[i], plan.placements[i].offset
                if not buffer.first <= moment <= buffer.last:
                    continue
                if at < 0 or at + buffer.size_bytes > size or at % buffer.align:
                    problems.append(f"buffer {i} ({buffer.label}) lies outside or is misaligned")
                    continue
                taken = owner[at : at + buffer.size_bytes]
                for other in np.unique(taken[taken >= 0]):
                    label = program.buffers[int(other)].label
                    problems.append(f"{buffer.label} overlaps {label} in segment {moment}")
                taken[:] = i
    problems += _uses(program)
    if problems:
        raise InternalError("E910", "the memory plan is wrong", why="; ".join(problems[:10]))


def _uses(program: Program) -> list[str]:
    """Every buffer that a step touches must live in that segment and hold the view."""
    problems = []
    for moment, segment in enumerate(program.segments):
        for step in segment.steps:
            views = [operand.view for operand in step.inputs] + [step.output]
            for view in views:
                if view.buffer is None:
                    continue
                buffer = program.buffers[view.buffer]
                if not buffer.first <= moment <= buffer.last:
                    problems.append(f"segment {moment} uses {buffer.label} outside its lifetime")
                reach = view.offset + (view.rows - 1) * view.row_stride
                reach += (view.box.width - 1) * view.pixel_stride
                if reach >= buffer.size_bytes:
                    problems.append(f"a view of segment {moment} reaches past {buffer.label}")
            if step.scratch is not None:
                buffer = program.buffers[step.scratch]
                if not buffer.first <= moment <= buffer.last:
                    problems.append(f"segment {moment}: scratch is not alive")
    return problems
