"""Models whose arena lies in two RAM regions, on an emulated core that has them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.device.boards import load_board
from mcuc.frontends.tflite.load import load_tflite
from mcuc.ir.graph import Graph
from mcuc.ops.interpret import run_reference
from mcuc_codegen.project import generate
from tests.support.cases import fill
from tests.support.models import DIGITS
from tests.support.networks import inverted_residual, strided_chain

GRAPHS = [
    strided_chain("chain", (32, 28)),
    inverted_residual("block", (20, 16)),
    load_tflite(DIGITS),
]


def split(graph: Graph, mode: str, schedule: str, name: str) -> Unit:
    """The model in DTCM and SRAM, of which neither is as large as the arena in one."""
    target = load_board("qemu_m55").target
    options = Options(input_mode=mode, schedule=schedule)
    alone = lower_and_plan(graph, target, options).plan.arena_bytes
    sizes = {"dtcm": alone // 2, "sram": alone - 64}
    regions = tuple(
        replace(r, size_bytes=sizes[r.name], reserved_bytes=0)
        for r in target.regions
        if r.name in sizes
    )
    made = lower_and_plan(graph, replace(target, regions=regions), options)
    assert all(made.plan.used_bytes)
    return Unit(made.program, made.plan, generate(made.program, made.plan, name, graph.name))


@pytest.mark.arm_gcc
@pytest.mark.qemu
@pytest.mark.parametrize("schedule", ["layer", "stream"])
@pytest.mark.parametrize("mode", ["kept", "consumed"])
def test_two_regions_give_the_same_bytes(mode: str, schedule: str, tmp_path: Path) -> None:
    units = [split(graph, mode, schedule, f"n{i}") for i, graph in enumerate(GRAPHS)]
    rng = np.random.default_rng(1)
    vectors = [[[fill(rng, g.type(v), "random") for v in g.inputs]] for g in GRAPHS]
    bench = build_bench(units, tmp_path, load_board("qemu_m55"), merge=True)
    for graph, unit, given, records in zip(
        GRAPHS, units, vectors, run_bench(bench, units, vectors), strict=True
    ):
        wanted = run_reference(graph, given[0])
        for record in records:
            got = unit.decode(record.outputs)
            assert [a.tobytes() for a in got] == [a.tobytes() for a in wanted]
