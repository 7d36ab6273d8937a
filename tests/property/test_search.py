"""The search for streamed segments: its needs are those of the plan, it never makes them worse."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.choose import choose
from mcuc.compiler.options import Options
from mcuc.ir.graph import Graph
from mcuc.ir.program import Overlap, Program
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc.passes.stream_input import stream_input
from mcuc.plan.conflicts import Conflicts
from mcuc.plan.solve import plan_memory
from mcuc.schedule.lower import callers_of, lower
from mcuc.schedule.needs import Order, Run
from mcuc.schedule.search import Search
from mcuc_codegen.project import generate
from tests.support.cases import fill
from tests.support.networks import Network, inverted_residual, random_network

COUNT = 60
VECTORS = 2


def with_skips(seed: int) -> Graph:
    """Residual blocks that nest and cross, with strides between; a fold at the end of some."""
    rng = np.random.default_rng(5000 + seed)
    height, width = (int(v) for v in rng.integers(5, 13, 2))
    net = Network(f"skips{seed}", (1, height, width, int(rng.choice([2, 4]))), 3)
    waiting: list[int] = []
    for _ in range(int(rng.integers(4, 9))):
        shapes = {v: net.values[v].type.shape for v in waiting}
        partners = [v for v in waiting if shapes[v] == net.shape and v != net.last]
        draw = rng.random()
        if partners and draw < 0.35:
            net.add(int(rng.choice(partners)))
        elif draw < 0.5:
            net.conv(int(rng.choice([2, 4, 9])), (1, 1), activation="relu6")
        elif draw < 0.8:
            net.depthwise((3, 3), pad="SAME")
        elif draw < 0.9 and min(net.shape[1:3]) > 4:
            net.depthwise((3, 3), stride=(2, 2), pad="SAME")
        else:
            net.relu()
        if rng.random() < 0.5:
            waiting.append(net.last)
    if rng.random() < 0.3:
        net.mean()
        net.conv(3, (1, 1))
    return net.graph()


def with_joins(seed: int) -> Graph:
    """Branches that are joined along channels, columns or rows, and computed on."""
    rng = np.random.default_rng(7000 + seed)
    height, width = (int(v) for v in rng.integers(5, 11, 2))
    net = Network(f"joins{seed}", (1, height, width, int(rng.choice([2, 4]))), 3)
    for _ in range(int(rng.integers(1, 4))):
        start = net.last
        branches = []
        for _ in range(int(rng.integers(1, 4))):
            net.last = start
            net.conv(int(rng.choice([2, 3])), (int(rng.choice([1, 3])),) * 2, pad="SAME")
            if rng.random() < 0.4:
                net.depthwise((3, 3), pad="SAME")
            branches.append(net.last)
        axis = int(rng.choice([3, 3, 3, 2, 1]))
        if axis == 3 and rng.random() < 0.5:
            branches.append(start)
        if len({net.values[v].type.shape[:axis] + net.values[v].type.shape[axis + 1:]
                for v in branches}) == 1:  # fmt: skip
            net.last = branches[0]
            net.concat(*branches[1:], axis=axis)
        net.conv(4, (3, 3), stride=(int(rng.integers(1, 3)), 1), pad="SAME")
    return net.graph()


GRAPHS = [
    *(with_joins(seed) for seed in range(24)),
    *(with_skips(seed) for seed in range(COUNT // 2)),
    *(random_network(seed) for seed in range(200, 200 + COUNT // 2)),
    inverted_residual("block", (9, 7)),
]
MODES = ("consumed", "kept", "streamed")


def searched(graph: Graph, mode: str) -> tuple[Graph, Search]:
    made = stream_input(graph) if mode == "streamed" else graph
    return made, Search(Order(made, callers_of(made, HOST), mode))


def program_of(graph: Graph, search: Search, cuts: list[Run], mode: str) -> Program:
    return lower(graph, HOST, search.schedule(cuts), input_mode=mode)


def bound_of(program: Program, segment: int) -> int:
    """Lower bound on what one segment needs: a problem of its own, of the buffers alive in it."""
    live = [i for i, b in enumerate(program.buffers) if b.first <= segment <= b.last]
    index = {i: k for k, i in enumerate(live)}
    overlaps = [o for o in program.overlaps if o.segment == segment]
    sources = {o.source for o in overlaps}
    buffers = []
    for i in live:
        # one moment before the segment and one behind it, to tell dying and born buffers
        first = 0 if program.buffers[i].first == segment and i not in sources else -1
        last = 0 if program.buffers[i].last == segment else 1
        buffers.append(dataclasses.replace(program.buffers[i], first=first, last=last))
    moved = [Overlap(index[o.out], index[o.source], o.distance, 0) for o in overlaps]
    return Conflicts.of(buffers, moved).lower_bound()


@pytest.mark.parametrize("mode", MODES)
def test_needs_are_those_of_the_segments(mode: str) -> None:
    """Never below the bound of what is planned, so that no choice deceives; mostly equal."""
    exact = total = streams = 0
    for graph in GRAPHS:
        made, search = searched(graph, mode)
        for cuts in (search.least_memory(), search.front()[-1]):
            program = program_of(made, search, cuts, mode)
            assert len(program.segments) == len(cuts)
            for segment, run in enumerate(cuts):
                bound = bound_of(program, segment)
                assert run.need_bytes >= bound, (graph.name, run)
                # what differs: alignment, and the one overlap that the estimate looks at
                exact += run.need_bytes - bound <= 16
                total += 1
                streams += run.end - run.first > 1
    assert streams > 20
    assert exact > 0.9 * total, f"{exact} of {total}"


@pytest.mark.parametrize("mode", MODES)
def test_all_runs_are_estimated_as_they_would_be_planned(mode: str) -> None:
    """Not the chosen runs alone: each run is planned, with all else layer by layer."""
    for graph in GRAPHS[::4]:
        made, search = searched(graph, mode)
        layers = {run.first: run for runs in search.runs.values() for run in runs
                  if run.end - run.first == 1}  # fmt: skip
        for runs in search.runs.values():
            for run in runs:
                outside = [*range(run.first), *range(run.end, len(search.order.callers))]
                if any(k not in layers for k in outside):
                    continue
                cuts = [layers[k] for k in range(run.first)]
                cuts = [*cuts, run, *(layers[k] for k in range(run.end, len(search.order.callers)))]
                program = program_of(made, search, cuts, mode)
                assert run.need_bytes >= bound_of(program, run.first), (graph.name, run)


@pytest.mark.parametrize("mode", ("consumed", "kept"))
def test_least_needs_no_more_than_layer_by_layer(mode: str) -> None:
    less = 0
    for graph in GRAPHS:
        found, known = (
            choose(graph, HOST, Options(schedule=schedule, minimize="sram", input_mode=mode))
            for schedule in ("auto", "layer")
        )
        assert found.plan.arena_bytes <= known.plan.arena_bytes, graph.name
        less += found.plan.arena_bytes < known.plan.arena_bytes
        macs = [sum(step.macs for step in made.program.steps()) for made in (found, known)]
        assert macs[0] <= macs[1], graph.name
    assert less > COUNT // 4, "streaming saves hardly anything: are these networks too small?"


def test_the_front_trades_memory_for_work() -> None:
    for graph in GRAPHS:
        _, search = searched(graph, "consumed")
        front = search.front()
        needs = [max(run.need_bytes for run in cuts) for cuts in front]
        work = [sum(run.work for run in cuts) for cuts in front]
        assert needs == sorted(set(needs))
        assert work == sorted(set(work), reverse=True)
        assert max(run.need_bytes for run in search.least_memory()) == needs[0]


def brute_force(search: Search) -> int:
    """The least largest need of all cuttings, by trying all of them."""

    def cuttings(end: int) -> Iterator[tuple[Run, ...]]:
        if end == 0:
            yield ()
        for run in search.runs.get(end, ()):
            yield from ((*head, run) for head in cuttings(run.first))

    return min(max(run.need_bytes for run in cuts) for cuts in cuttings(len(search.order.callers)))


def test_cuts_cover_all_nodes_once() -> None:
    for graph in GRAPHS:
        for mode in MODES:
            made, search = searched(graph, mode)
            cuts = search.least_memory()
            assert [run.first for run in cuts] == [0, *(run.end for run in cuts[:-1])]
            nodes = [i for group in search.schedule(cuts).groups for i in group.nodes]
            assert nodes == list(range(len(made.nodes)))
            assert max(run.need_bytes for run in cuts) == brute_force(search)


@pytest.mark.gcc
def test_programs_of_the_search_give_the_reference(tmp_path: Path) -> None:
    units, inputs, graphs = [], [], []
    rng = np.random.default_rng(11)
    for number, graph in enumerate(GRAPHS):
        mode = MODES[number % len(MODES)]
        made, search = searched(graph, mode)
        front = search.front()
        program = program_of(made, search, front[number % len(front)], mode)
        plan = plan_memory(program)
        units.append(Unit(program, plan, generate(program, plan, f"n{number}", graph.name)))
        inputs.append([[fill(rng, graph.type(v), "random") for v in graph.inputs]
                       for _ in range(VECTORS)])  # fmt: skip
        graphs.append(graph)
    bench = build_bench(units, tmp_path, None, sanitize=True, merge=True)
    records = run_bench(bench, units, inputs)
    for graph, unit, vectors, runs in zip(graphs, units, inputs, records, strict=True):
        per_vector = len(runs) // VECTORS
        for i, record in enumerate(runs):
            (want,) = run_reference(graph, vectors[i // per_vector])
            assert record.code == 0
            assert unit.decode(record.outputs)[0].tobytes() == want.tobytes(), graph.name
