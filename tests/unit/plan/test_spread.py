"""Placement in several RAM regions: what is touched most lies in the fastest, external is last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import Lowered, lower_and_plan
from mcuc.errors import MemoryBudgetError
from mcuc.ir.graph import Graph
from mcuc.ir.program import Buffer, Program
from mcuc.ir.target import HOST, Region, Target
from mcuc.plan.access import accesses
from mcuc.plan.conflicts import Conflicts
from mcuc.plan.solve import plan_memory
from mcuc.plan.spread import Regions, spread
from mcuc.report.document import Footprint, Origin, document
from mcuc.schedule.lower import lower
from tests.support.byte_machine import losses
from tests.support.networks import Network, inverted_residual, random_network, strided_chain


def target(*sizes: int, **last: bool) -> Target:
    regions = [Region(f"r{i}", 0x1000 * i, size) for i, size in enumerate(sizes)]
    regions[-1] = replace(regions[-1], **last)  # type: ignore[arg-type]
    return replace(HOST, regions=tuple(regions))


def planned(graph: Graph, where: Target, **more: str) -> Lowered:
    return lower_and_plan(graph, where, Options(**more))  # type: ignore[arg-type]


def two_sizes(program: Program) -> tuple[int, int]:
    """Of which neither alone suffices: what the largest buffer needs, and a little too little."""
    return max(b.size_bytes for b in program.buffers), plan_memory(program).arena_bytes - 4


def test_accesses_are_counted_by_hand() -> None:
    net = Network("one", (1, 6, 5, 4))
    net.conv(8, (3, 3), pad="SAME")
    program = lower(net.graph(), HOST)
    counts = dict(zip([b.kind for b in program.buffers], accesses(program), strict=True))
    image, result = 6 * 5 * 4, 6 * 5 * 8
    assert counts["input"] == image + 6 * 5 * 9 * 4  # from outside; a window for every pixel
    assert counts["output"] == result + result
    assert set(counts) == {"input", "output"} or counts["scratch"] > 0


@pytest.mark.parametrize("seed", range(100, 116))
def test_networks_in_two_regions_of_which_neither_suffices(seed: int) -> None:
    graph = random_network(seed)
    for schedule in ("layer", "stream"):
        program = planned(graph, HOST, schedule=schedule).program
        small, large = two_sizes(program)
        cut = replace(program, target=target(small, large))
        plan = plan_memory(cut)
        assert {p.region for p in plan.placements} == {0, 1}
        assert plan.used_bytes[0] <= small < plan.arena_bytes
        assert plan.used_bytes[1] <= large
        assert losses(cut, plan) == 0


def test_what_is_hot_lies_in_the_fast_region() -> None:
    graph = strided_chain("chain", (48, 48))
    made = planned(graph, target(2500, 40_000), input_mode="kept", schedule="stream")
    program, plan = made.program, made.plan
    homes = {b.label: p.region for b, p in zip(program.buffers, plan.placements, strict=True)}
    kinds = {b.kind: p.region for b, p in zip(program.buffers, plan.placements, strict=True)}
    assert kinds["input"] == 1  # 6,912 bytes do not fit
    assert kinds["progress"] == 0
    counts = accesses(program)
    fast = sum(c for c, p in zip(counts, plan.placements, strict=True) if p.region == 0)
    assert fast > sum(counts) // 2, homes
    assert plan.solver == "spread"
    assert losses(program, plan) == 0


def test_one_region_is_enough_if_the_first_holds_everything() -> None:
    graph = inverted_residual("block", (16, 16))
    alone = planned(graph, HOST).plan
    plan = planned(graph, target(alone.arena_bytes, 1 << 20)).plan
    assert plan.used_bytes == (alone.arena_bytes, 0)
    assert plan.optimal == alone.optimal


def test_the_stack_keeps_its_place_in_a_region_that_it_shares() -> None:
    graph = inverted_residual("block", (16, 16))
    need = planned(graph, HOST).plan.arena_bytes
    first, second = target(need + 100, 1 << 20).regions
    shared = replace(HOST, regions=(replace(first, reserved_bytes=512), second))
    plan = planned(graph, shared).plan
    assert 0 < plan.used_bytes[0] <= need + 100 - 512
    assert plan.used_bytes[1] > 0
    lone = replace(HOST, regions=(replace(first, reserved_bytes=512),))
    assert planned(graph, lone).plan.arena_bytes == need  # the budget counts the stack there


def buffers(*sizes: int) -> Conflicts:
    return Conflicts.of([Buffer(size, 0, 0, 1, str(size), "activation") for size in sizes])


def test_what_no_greedy_order_finds_is_found() -> None:
    conflicts = buffers(4, 4, 3, 3, 3, 3)
    regions = Regions.of(conflicts, target(10, 10).regions, [1] * 6, external=False)
    places = spread(conflicts, regions, lambda c: dict.fromkeys(range(len(c.buffers)), 99))
    assert places is not None
    for r in (0, 1):
        sizes = [conflicts.buffers[i].size_bytes for i, (home, _) in places.items() if home == r]
        assert sorted(sizes) == [3, 3, 4]


def test_external_memory_is_the_last_resort_and_is_named() -> None:
    graph = strided_chain("chain", (48, 48))
    least = planned(graph, HOST, schedule="stream", input_mode="kept").plan.arena_bytes
    enough = planned(graph, target(least // 2, least, 1 << 20, external=True), schedule="stream")
    assert len(enough.plan.used_bytes) == 2, "the external region was not even looked at"
    program = enough.program
    everywhere = replace(program, target=target(least // 2, least, 1 << 20, external=True))
    assert plan_memory(everywhere).used_bytes[2] == 0
    tight = planned(graph, target(least // 4, least // 4, 1 << 20, external=True))
    assert tight.plan.used_bytes[2] > 0
    (note,) = _notes(tight)
    assert "external memory (r2)" in note
    assert _notes(enough) == []
    with pytest.raises(MemoryBudgetError, match="E401"):
        planned(graph, target(least // 4, least // 4))


def _notes(made: Lowered) -> list[str]:
    unknown = Footprint(None, None, None, None, {}, "")
    origin = Origin("", "", "", "", "", {}, "")
    report = document(origin, made.source, made.program, made.plan, 0, 0, unknown, {"kind": ""})
    notes: list[str] = report["notes"]
    return notes
