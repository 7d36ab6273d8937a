"""Sliding windows in C: windows that come in steps give what whole windows give."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler import bench as bench_module
from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.compile import compile_model
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import Lowered, lower_and_plan
from mcuc.device.boards import load_board
from mcuc.ir.graph import Graph
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc.proof.verify import verify_model
from mcuc_codegen.project import generate
from tests.support.cases import fill
from tests.support.models import real_models
from tests.support.networks import Network

PLACES = [
    pytest.param(None, marks=pytest.mark.gcc, id="host"),
    pytest.param("qemu_m4", marks=[pytest.mark.arm_gcc, pytest.mark.qemu], id="qemu_m4"),
]


def spectrogram() -> Graph:
    """Keyword spotting without padding in time: 26 frames of 16 coefficients."""
    net = Network("spectrogram", (1, 26, 16, 1))
    net.conv(16, (5, 4), stride=(1, 2), pad="VALID", activation="relu")
    for _ in range(2):
        net.depthwise((3, 3), pad="VALID", activation="relu")
        net.conv(16, (1, 1), activation="relu")
    net.mean()
    return net.graph()


def residual() -> Graph:
    net = Network("residual", (1, 23, 5, 4))
    trunk = net.conv(8, (4, 1), stride=(2, 1), pad="VALID")
    net.conv(16, (1, 1), activation="relu6")
    net.conv(8, (1, 1))
    net.add(trunk)
    net.pool("max_pool2d", (2, 2), (1, 1), "VALID")
    return net.graph()


CASES = [(spectrogram(), 1), (spectrogram(), 4), (residual(), 2), (residual(), 4)]


def without_reset(glue: str) -> str:
    """Runs that go on from the memory and the state that the run before left."""
    glue = re.sub(r"\n  n\d+_reset\(&own\);", "", glue)
    return glue.replace(" && !done) {", ") {")


@pytest.mark.parametrize("board", PLACES)
@pytest.mark.parametrize("schedule", ["auto", "layer"])
@pytest.mark.parametrize("reset", [True, False])
def test_windows_in_steps(
    reset: bool,
    schedule: str,
    board: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = HOST if board is None else load_board(board).target
    units, vectors = [], []
    rng = np.random.default_rng(7)
    for number, (graph, hop) in enumerate(CASES):
        made = lower_and_plan(graph, target, Options(sliding=hop, schedule=schedule))
        project = generate(made.program, made.plan, f"n{number}", graph.name)
        units.append(Unit(made.program, made.plan, project))
        vectors.append([[fill(rng, graph.type(0), "random")] for _ in range(3)])
    if not reset:
        real = bench_module.harness_glue
        monkeypatch.setattr(bench_module, "harness_glue", lambda p: without_reset(real(p)))
    where = None if board is None else load_board(board)
    bench = build_bench(units, tmp_path, where, sanitize=board is None, merge=True)
    records = run_bench(bench, units, vectors)
    for (graph, _), unit, given, runs in zip(CASES, units, vectors, records, strict=True):
        per_vector = len(runs) // len(given)
        for i, record in enumerate(runs):
            assert record.code == 0
            wanted = run_reference(graph, given[i // per_vector])
            got = unit.decode(record.outputs)
            assert [a.tobytes() for a in got] == [a.tobytes() for a in wanted]


def planned(graph: Graph, **more: object) -> Lowered:
    return lower_and_plan(graph, HOST, Options(**more))  # type: ignore[arg-type]


def test_a_step_costs_a_fraction_and_states_live_in_one_place() -> None:
    whole, step = planned(spectrogram()), planned(spectrogram(), sliding=1)
    macs = [sum(s.macs for s in made.program.steps()) for made in (whole, step)]
    assert macs[1] * 10 < macs[0]
    program = step.program
    assert len(program.rolling) == 4
    assert program.window_runs == 26
    for before, after in program.rolling:
        assert before.view == after.view
        buffer = program.buffers[before.view.buffer or 0]
        assert (buffer.first, buffer.last) == (-1, len(program.segments))
    assert len(program.inputs) == len(program.outputs) == 1


@pytest.mark.data
@pytest.mark.gcc
@pytest.mark.arm_gcc
@pytest.mark.qemu
def test_a_real_network_without_padding_slides() -> None:
    (path,) = real_models("pkg/mltk_rock_paper_scissors_int8.tflite")
    made = compile_model(path, io="quantized", sliding=8)
    assert made.project.run_function.endswith("_run_hop")
    assert made.report["macs"]["executed"] * 8 < 5_756_544  # of whole windows
    assert made.report["memory"]["state_bytes"] == 4
    verdict = verify_model(made, vectors=1)["verify"]
    assert verdict["mismatches"] == 0
