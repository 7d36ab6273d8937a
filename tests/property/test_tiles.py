"""Tiles: chains of a stream in blocks of rows and columns give the bytes of the reference."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.choose import choose
from mcuc.compiler.options import Options
from mcuc.ir.graph import Graph
from mcuc.ir.program import Form, Program
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc.plan.solve import plan_memory
from mcuc.schedule.lower import callers_of, lower
from mcuc.schedule.needs import Order
from mcuc.schedule.search import Search
from mcuc.schedule.spec import Schedule, Tile
from mcuc.schedule.tile import MAX_OPERANDS, MAX_PARTS, Tiled, chains, tiled
from mcuc_codegen.project import generate
from tests.property.test_search import with_joins, with_skips
from tests.support.byte_machine import losses
from tests.support.cases import fill
from tests.support.networks import inverted_residual, random_network

GRAPHS = [
    *(inverted_residual(f"block{h}x{w}", (h, w)) for h, w in ((9, 7), (5, 12), (16, 16))),
    *(random_network(seed) for seed in range(300, 312)),
    *(with_skips(seed) for seed in range(100, 112)),
    *(with_joins(seed) for seed in range(100, 108)),
]
VECTORS = 2


def random_tiles(graph: Graph, rng: np.random.Generator) -> tuple[Tile, ...]:
    """Some chains of a graph that have no node in common, cut at random."""
    found = chains(graph, callers_of(graph, HOST))
    used: set[int] = set()
    tiles = []
    for k in rng.permutation(len(found)):
        if not used & set(found[k]) and rng.random() < 0.8:
            used |= set(found[k])
            rows, columns = (int(v) for v in rng.integers(1, 6, 2))
            kept = tuple(i for i in found[k][:-1] if rng.random() < 0.6)
            tiles.append(Tile(found[k], rows, columns, kept))
    return tuple(tiles)


def schedules() -> list[tuple[Graph, Schedule]]:
    rng = np.random.default_rng(3)
    result = []
    for number, graph in enumerate(GRAPHS):
        for _ in range(4):
            tiles = random_tiles(graph, rng)
            if tiles:
                callers = tiled(callers_of(graph, HOST), tiles)
                search = Search(Order(graph, callers, "consumed"), tiles)
                cuts = search.front()[-1] if number % 2 else search.least_memory()
                result.append((graph, search.schedule(cuts)))
    return result


@functools.cache
def programs() -> list[Program]:
    """Made when a test wants them, not when tests are collected."""
    return [lower(graph, HOST, schedule) for graph, schedule in schedules()]


def test_chains_are_runs_that_nothing_else_reads() -> None:
    count = 0
    for graph in GRAPHS:
        for chain in chains(graph, callers_of(graph, HOST)):
            count += 1
            assert 2 <= len(chain) <= MAX_PARTS
            for before, after in itertools.pairwise(chain):
                value = graph.nodes[before].outputs[0]
                readers = [i for i, node in enumerate(graph.nodes) if value in node.inputs]
                assert readers == [after]
                assert value not in graph.outputs
    assert count > 100


def test_a_tile_of_one_row_computes_twice_what_windows_share() -> None:
    graph = inverted_residual("block", (16, 16))
    callers = callers_of(graph, HOST)
    chain = next(c for c in chains(graph, callers) if len(c) == 3 and callers[c[1]].window)
    parts = tuple(callers[i] for i in chain)
    single = sum(part.macs for part in parts)
    whole = Tiled.of(parts, Tile(chain, 16, 4))
    assert whole.macs == single, "columns of a band are computed once"
    rows = [sum(y1 - y0 for y0, y1 in Tiled.of(parts, Tile(chain, h, 4)).rows_of[0])
            for h in (1, 2, 4, 8)]  # fmt: skip
    assert rows == sorted(rows, reverse=True)
    kernel = parts[1].window.kernel[0]
    assert rows[0] == 16 * kernel - 2 * (kernel // 2), "every window, clipped at the edges"


def test_programs_with_tiles_lose_nothing() -> None:
    found = programs()
    assert sum(step.form is Form.TILE for p in found for step in p.steps()) > 60
    for program in found:
        tiles = [step for step in program.steps() if step.form is Form.TILE]
        assert all(len(step.inputs) <= MAX_OPERANDS for step in tiles)
        assert losses(program, plan_memory(program)) == 0


@pytest.mark.gcc
def test_programs_with_tiles_give_the_reference(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    units, inputs, wanted = [], [], []
    for number, program in enumerate(programs()):
        plan = plan_memory(program)
        units.append(Unit(program, plan, generate(program, plan, f"t{number}", "tiles")))
        graph = program.graph
        vectors = [[fill(rng, graph.type(v), "random") for v in graph.inputs]
                   for _ in range(VECTORS)]  # fmt: skip
        inputs.append(vectors)
        wanted.append([run_reference(graph, vector) for vector in vectors])
    bench = build_bench(units, tmp_path, None, sanitize=True, merge=True)
    for unit, runs, want in zip(units, run_bench(bench, units, inputs), wanted, strict=True):
        per_vector = len(runs) // VECTORS
        for i, record in enumerate(runs):
            outputs = unit.decode(record.outputs)
            for got, right in zip(outputs, want[i // per_vector], strict=True):
                np.testing.assert_array_equal(got, right)


def test_recompute_is_limited_and_saves_memory() -> None:
    saved = 0
    for graph in (*GRAPHS[:3], *GRAPHS[15:]):
        least = []
        base = sum(caller.macs for caller in callers_of(graph, HOST).values())
        for limit in (0.0, 30.0, 1000.0):
            chosen = choose(graph, HOST, Options(minimize="sram", max_recompute=limit))
            executed = sum(step.macs for step in chosen.program.steps())
            assert executed <= base * (1 + limit / 100)
            least.append(chosen.plan.arena_bytes)
        saved += least[2] < least[0]
    assert saved > 3
