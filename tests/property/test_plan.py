"""Memory plans: the solvers against brute force, the validator against a machine of real bytes."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcuc.errors import InternalError, MemoryBudgetError, ScheduleError
from mcuc.ir.program import Buffer, Overlap, Program, Step, View
from mcuc.ir.target import HOST, Region, Target
from mcuc.plan import exact, greedy
from mcuc.plan.conflicts import Conflicts
from mcuc.plan.problem import MemoryPlan, Placement
from mcuc.plan.solve import plan_memory
from mcuc.plan.validate import validate
from mcuc.schedule.lower import lower
from mcuc.schedule.spec import Group, with_groups
from tests.support.byte_machine import losses
from tests.support.networks import Network, inverted_residual, random_network, strided_chain

# --- solvers --------------------------------------------------------------------------------------


Problem = tuple[tuple[Buffer, ...], tuple[Overlap, ...]]


def problem(
    seed: int, most: int = 12, largest: int = 300, aligns: tuple[int, ...] = (1, 4, 16)
) -> Problem:
    """Buffers, and pairs whose output is born where the input dies, with any distance."""
    rng = np.random.default_rng(seed)
    buffers = []
    for i in range(int(rng.integers(1, most + 1))):
        first = int(rng.integers(-1, 5))
        last = int(rng.integers(max(first, 0), min(first + 4, 6)))
        size = int(rng.integers(1, largest + 1))
        buffers.append(Buffer(size, first, last, int(rng.choice(aligns)), f"b{i}", "activation"))
    overlaps = [
        Overlap(out, source, int(rng.integers(-largest, largest)), buffers[out].first)
        for out, source in itertools.permutations(range(len(buffers)), 2)
        if buffers[source].first < buffers[source].last == buffers[out].first and rng.random() < 0.6
    ]
    return tuple(buffers), tuple(overlaps)


def problems(**more: Any) -> st.SearchStrategy[Problem]:
    return st.integers(0, 2**32 - 1).map(lambda seed: problem(seed, **more))


def collisions(buffers, overlaps, offsets) -> list[tuple[int, int]]:
    """Pairs that live in a common segment, share a byte, and may not."""
    found = []
    for i, j in itertools.combinations(offsets, 2):
        moments = range(max(buffers[i].first, buffers[j].first),
                        min(buffers[i].last, buffers[j].last) + 1)  # fmt: skip
        bytes_i = set(range(offsets[i], offsets[i] + buffers[i].size_bytes))
        bytes_j = set(range(offsets[j], offsets[j] + buffers[j].size_bytes))
        if not moments or not bytes_i & bytes_j:
            continue
        rules = [o for o in overlaps if {o.out, o.source} == {i, j}]
        fine = rules and all(
            offsets[o.source] - offsets[o.out] >= o.distance and list(moments) == [o.segment]
            for o in rules
        )
        if not fine:
            found.append((i, j))
    return found


def check(buffers, overlaps, offsets) -> None:
    assert offsets.keys() == set(range(len(buffers)))
    assert all(at >= 0 and at % buffers[i].align == 0 for i, at in offsets.items())
    assert not collisions(buffers, overlaps, offsets)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_greedy_placements_do_not_collide(problem) -> None:
    conflicts = Conflicts.of(*problem)
    offsets = greedy.best(conflicts)
    check(*problem, offsets)
    assert greedy.total(conflicts, offsets) >= conflicts.lower_bound()


@settings(max_examples=60, deadline=None)
@given(problems())
def test_exact_is_never_worse_than_greedy(problem) -> None:
    conflicts = Conflicts.of(*problem)
    known = greedy.best(conflicts)
    total = greedy.total(conflicts, known)
    better = exact.solve(conflicts, conflicts.lower_bound(), total, known)
    assert better is not None
    check(*problem, better[0])
    assert conflicts.lower_bound() <= greedy.total(conflicts, better[0]) <= total


def smallest(buffers, overlaps, limit: int) -> int:
    """The least total below `limit` by trying all offsets, or `limit`."""
    best = limit
    offsets: dict[int, int] = {}

    def place(i: int, top: int) -> None:
        nonlocal best
        if i == len(buffers):
            best = top
            return
        for at in range(0, best - buffers[i].size_bytes, buffers[i].align):
            if max(top, at + buffers[i].size_bytes) >= best:
                return
            offsets[i] = at
            if not any(i in pair for pair in collisions(buffers, overlaps, offsets)):
                place(i + 1, max(top, at + buffers[i].size_bytes))
            del offsets[i]

    place(0, 0)
    return best


@settings(max_examples=80, deadline=None)
@given(problems(most=4, largest=7, aligns=(1, 2)))
def test_small_problems_are_solved_to_the_optimum(problem) -> None:
    conflicts = Conflicts.of(*problem)
    known = greedy.best(conflicts)
    total = greedy.total(conflicts, known)
    optimum = smallest(*problem, total)
    assert conflicts.lower_bound() <= optimum, "the bound is no bound"
    solved = exact.solve(conflicts, conflicts.lower_bound(), total, known)
    assert solved is not None
    assert solved[1]
    assert greedy.total(conflicts, solved[0]) == optimum


def test_an_output_grows_into_its_dying_input() -> None:
    buffers = [Buffer(100, -1, 0, 4, "in", "input"), Buffer(100, 0, 1, 4, "out", "output")]
    for distance, total in ((-50, 100), (0, 100), (8, 108), (400, 200)):
        conflicts = Conflicts.of(buffers, [Overlap(1, 0, distance, 0)])
        assert greedy.total(conflicts, greedy.best(conflicts)) == total
        assert conflicts.lower_bound() <= total
    later = Conflicts.of([buffers[0], dataclasses.replace(buffers[1], first=-1)],
                         [Overlap(1, 0, 0, 0)])  # fmt: skip
    assert greedy.total(later, greedy.best(later)) == 200, "they live together before as well"


# --- whole plans ----------------------------------------------------------------------------------


def networks() -> list[Program]:
    """Lowered programs: layers, streams and patches, with skips, rings and accumulators."""
    head = Network("head", (1, 9, 6, 4))
    head.conv(6, (3, 3), pad="SAME", activation="relu")
    head.mean()
    head.conv(3, (1, 1))
    graphs = [
        inverted_residual("block", (6, 5), channels=4),
        strided_chain("chain", (12, 8)),
        head.graph(),
        *(random_network(seed) for seed in range(30, 36)),
    ]
    made = []
    for graph in graphs:
        nodes = tuple(range(len(graph.nodes)))
        middle = tuple(range(1, len(nodes)))
        for groups in ((), (Group("stream", nodes),), (Group("stream", middle),),
                       (Group("patch", nodes[:2], (2, 2)),)):  # fmt: skip
            for mode in ("consumed", "kept"):
                try:
                    schedule = with_groups(graph, *groups)
                    made.append(lower(graph, HOST, schedule, input_mode=mode))
                except ScheduleError as error:
                    assert error.code == "E303"
    return made


PROGRAMS = networks()


def accepts(program: Program, plan: MemoryPlan) -> bool:
    try:
        validate(program, plan)
    except InternalError as error:
        assert error.code == "E910"
        return False
    return True


def moved(plan: MemoryPlan, offsets: dict[int, int]) -> MemoryPlan:
    places = list(plan.placements)
    for i, at in offsets.items():
        places[i] = Placement(places[i].region, at)
    return dataclasses.replace(plan, placements=tuple(places))


def fewer_rows(program: Program, buffer: int) -> Program:
    """The ring in `buffer` with one row slot less."""

    def view(v: View) -> View:
        return dataclasses.replace(v, rows=v.rows - 1) if v.buffer == buffer else v

    def step(s: Step) -> Step:
        inputs = tuple(dataclasses.replace(o, view=view(o.view)) for o in s.inputs)
        return dataclasses.replace(s, inputs=inputs, output=view(s.output))

    segments = tuple(
        dataclasses.replace(segment, steps=tuple(step(s) for s in segment.steps))
        for segment in program.segments
    )
    return dataclasses.replace(program, segments=segments)


def rings(program: Program) -> list[int]:
    return sorted(
        {
            step.output.buffer
            for step in program.steps()
            if step.output.buffer is not None and 1 < step.output.rows < step.output.box.height
        }
    )


def test_unchanged_plans_lose_nothing() -> None:
    assert len(PROGRAMS) > 40
    overlapping = 0
    for program in PROGRAMS:
        plan = plan_memory(program)  # runs the validator
        assert losses(program, plan) == 0
        together = {i: p.offset for i, p in enumerate(plan.placements)}
        overlapping += bool(collisions(program.buffers, (), together))
    assert overlapping > 10, "hardly a plan makes use of overlap"


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_plans_that_lose_data_are_rejected(data) -> None:
    program = data.draw(st.sampled_from(PROGRAMS))
    plan = plan_memory(program)
    indices = st.integers(0, len(program.buffers) - 1)
    kind = data.draw(st.sampled_from(("move", "swap", "closer", "ring")))
    if kind == "move":
        i = data.draw(indices)
        room = (plan.arena_bytes - program.buffers[i].size_bytes) // program.buffers[i].align
        plan = moved(plan, {i: program.buffers[i].align * data.draw(st.integers(0, room))})
    elif kind == "swap":
        i, j = data.draw(indices), data.draw(indices)
        plan = moved(plan, {i: plan.placements[j].offset, j: plan.placements[i].offset})
    elif kind == "closer" and program.overlaps:
        overlap = data.draw(st.sampled_from(program.overlaps))
        nearer = 4 * data.draw(st.integers(1, 8))
        at = plan.placements[overlap.source].offset - max(0, overlap.distance) + nearer
        plan = moved(plan, {overlap.out: max(0, at // 4 * 4)})
    elif kind == "ring" and rings(program):
        program = fewer_rows(program, data.draw(st.sampled_from(rings(program))))
    if losses(program, plan):
        assert not accepts(program, plan)


def corruptions() -> dict[str, tuple[Program, MemoryPlan]]:
    """Plans that lose data for certain."""
    found: dict[str, tuple[Program, MemoryPlan]] = {}

    def put(name: str, program: Program, onto: dict[int, int], shift: int = 0) -> None:
        """Buffers laid where others lie."""
        plan = plan_memory(program)
        places = {i: plan.placements[j].offset + shift for i, j in onto.items()}
        found[name] = program, moved(plan, places)

    def named(program: Program, kind: str, label: str = "") -> int:
        return next(i for i, b in enumerate(program.buffers) if b.kind == kind and label in b.label)

    block = inverted_residual("block", (6, 5), channels=4)
    layers = lower(block, HOST)
    stream = lower(block, HOST, with_groups(block, Group("stream", (0, 1, 2, 3))))
    put("the skip under the expansion", layers, {named(layers, "input"): _largest(layers)})
    counters = named(stream, "progress")
    for ring in rings(stream):
        label = stream.buffers[ring].label
        found[f"one missing of {label}"] = fewer_rows(stream, ring), plan_memory(stream)
        put(f"row counters in {label}", stream, {counters: ring})
        put(f"the input in {label}", stream, {ring: named(stream, "input")})
    head = next(p for p in PROGRAMS if p.graph.name == "head")
    flow = lower(head.graph, HOST, with_groups(head.graph, Group("stream", (0, 1, 2))))
    sums = named(flow, "scratch")
    put("accumulators in the input", flow, {sums: named(flow, "input")})
    put("accumulators in a ring", flow, {sums: named(flow, "activation", "rows of conv2d_")})
    kept = lower(block, HOST, input_mode="kept")
    put("a map in an input that is kept", kept, {_largest(kept): named(kept, "input")})
    two = Network("two", (1, 6, 6, 4))
    first = two.conv(4, (3, 3), pad="SAME")
    two.conv(8, (3, 3), pad="SAME")
    both = lower(two.graph(first, two.last), HOST)
    outs = [p.view.buffer for p in both.outputs]
    put("one output in another", both, {outs[0]: outs[1]})
    down = lower(strided_chain("down", (12, 8)), HOST)
    for program in (down, layers):
        plan = plan_memory(program)
        for o in program.overlaps:
            room = plan.arena_bytes - program.buffers[o.out].size_bytes
            for at in range(plan.placements[o.source].offset // 4 * 4, room + 1, 4):
                broken = moved(plan, {o.out: at})
                if at + o.distance > plan.placements[o.source].offset and losses(program, broken):
                    found[f"{program.graph.name}: {o.out} too close to {o.source}"] = (
                        program,
                        broken,
                    )
                    break
    return found


def _largest(program: Program) -> int:
    return max(range(len(program.buffers)), key=lambda i: program.buffers[i].size_bytes)


CORRUPTIONS = corruptions()


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruptions_made_by_hand_are_found(name: str) -> None:
    program, plan = CORRUPTIONS[name]
    assert losses(program, plan), "nothing is lost, so that this tests nothing"
    assert not accepts(program, plan)


def test_many_corruptions_are_tried() -> None:
    assert len(CORRUPTIONS) >= 12, sorted(CORRUPTIONS)


# --- budgets --------------------------------------------------------------------------------------


def limited(program: Program, *sizes: int) -> Program:
    regions = tuple(Region(f"r{i}", 0, size) for i, size in enumerate(sizes))
    return dataclasses.replace(program, target=Target("host", regions=regions))


def test_buffers_spread_over_regions_when_one_is_too_small() -> None:
    program = PROGRAMS[0]
    whole = plan_memory(program).arena_bytes
    largest = max(b.size_bytes for b in program.buffers)
    spread = limited(program, largest, whole - 4)
    plan = plan_memory(spread)
    assert {p.region for p in plan.placements} == {0, 1}
    assert plan.used_bytes[0] <= largest
    assert losses(spread, plan) == 0


def test_does_not_fit_names_need_have_and_the_largest() -> None:
    program = PROGRAMS[0]
    need = plan_memory(program).arena_bytes
    with pytest.raises(MemoryBudgetError) as caught:
        plan_memory(limited(program, 64))
    error = caught.value
    assert error.code == "E401"
    assert error.exit_code == 4
    assert error.data["need_bytes"] == need
    assert error.data["have_bytes"] == 64
    sizes = [entry["bytes"] for entry in error.data["largest"]]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == max(b.size_bytes for b in program.buffers)


def test_a_plan_is_the_same_every_time() -> None:
    for program in PROGRAMS[:6]:
        assert plan_memory(program) == plan_memory(program)
