"""Memory plans on random problems: valid for the independent checker, never below the bound."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcuc.errors import InternalError, MemoryBudgetError
from mcuc.ir.program import Buffer
from mcuc.ir.target import Region, Target
from mcuc.plan import exact, greedy
from mcuc.plan.problem import MemoryPlan, Placement, lower_bound
from mcuc.plan.solve import plan_memory
from mcuc.plan.validate import validate


def program(buffers, sizes=(1 << 20,)):
    """As much of a program as planning looks at."""
    regions = tuple(Region(f"r{i}", 0, size) for i, size in enumerate(sizes))
    end = max((b.last for b in buffers), default=0)
    segment = SimpleNamespace(steps=())
    return SimpleNamespace(
        buffers=tuple(buffers),
        target=Target("host", regions=regions),
        segments=(segment,) * max(1, end),
    )


@st.composite
def problems(draw):
    count = draw(st.integers(1, 12))
    buffers = []
    for i in range(count):
        first = draw(st.integers(-1, 8))
        last = draw(st.integers(max(first, 0), 9))
        size = draw(st.integers(1, 300))
        align = draw(st.sampled_from([1, 4, 16]))
        buffers.append(Buffer(size, first, last, align, f"b{i}", "activation"))
    return tuple(buffers)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_plans_are_valid_and_not_below_the_bound(buffers) -> None:
    made = program(buffers)
    plan = plan_memory(made)  # runs the validator
    assert plan.arena_bytes >= plan.lower_bound_bytes == lower_bound(buffers)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_exact_is_never_worse_than_greedy(buffers) -> None:
    offsets = greedy.place(buffers, greedy.best_order(buffers))
    total = greedy.total(buffers, offsets)
    better = exact.solve(buffers, lower_bound(buffers), total, offsets)
    assert better is not None
    assert greedy.total(buffers, better[0]) <= total


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(0, 11), st.integers(-64, 64))
def test_a_moved_buffer_is_found(buffers, index, delta) -> None:
    """The validator notices overlaps and overflows that it is shown."""
    made = program(buffers)
    plan = plan_memory(made)
    index %= len(buffers)
    moved = plan.placements[index].offset + delta
    overlap = any(
        i != index
        and b.first <= buffers[index].last
        and buffers[index].first <= b.last
        and plan.placements[i].offset < moved + buffers[index].size_bytes
        and moved < plan.placements[i].offset + b.size_bytes
        for i, b in enumerate(buffers)
    )
    outside = moved < 0 or moved + buffers[index].size_bytes > plan.used_bytes[0]
    misaligned = moved % buffers[index].align != 0
    placements = list(plan.placements)
    placements[index] = Placement(0, moved)
    broken = dataclasses.replace(plan, placements=tuple(placements))
    if overlap or outside or misaligned:
        with pytest.raises(InternalError):
            validate(made, broken)
    else:
        validate(made, broken)


def test_buffers_spread_over_regions_when_one_is_too_small() -> None:
    buffers = [Buffer(60, 0, 1, 4, "a", "activation"), Buffer(60, 0, 1, 4, "b", "activation")]
    plan = plan_memory(program(buffers, (64, 64)))
    assert {p.region for p in plan.placements} == {0, 1}
    assert plan.used_bytes == (60, 60)


def test_does_not_fit_names_need_have_and_the_largest() -> None:
    buffers = [Buffer(60, 0, 1, 4, f"tensor {i}", "activation") for i in range(5)]
    with pytest.raises(MemoryBudgetError) as caught:
        plan_memory(program(buffers, (128,)))
    error = caught.value
    assert error.code == "E401"
    assert error.exit_code == 4
    assert error.data["need_bytes"] == 300
    assert error.data["have_bytes"] == 128
    assert [entry["bytes"] for entry in error.data["largest"]] == [60, 60, 60]


def test_a_plan_is_the_same_every_time() -> None:
    buffers = [
        Buffer(100 + 37 * i % 90, i % 5, i % 5 + i % 3, 4, f"b{i}", "activation") for i in range(20)
    ]
    plans: list[MemoryPlan] = [plan_memory(program(buffers)) for _ in range(2)]
    assert plans[0] == plans[1]
