"""Operators that join the calls of a stream give TFLM's numbers, stored by make_tflm.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.device.boards import load_board
from mcuc.frontends.tflite import load_tflite
from mcuc.ir.graph import Array
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc_codegen.project import generate
from tests.support.signal_models import CALLS, STREAMS, inputs, model, wanted

STORED = Path(__file__).parent / "tflm_streams.npz"


def stored(name: str, call: int) -> list[Array]:
    with np.load(STORED) as file:
        count = 1 + STREAMS[name].flag
        return [file[f"{name}_{k}"][call] for k in range(count)]


def check(name: str, call: int, found: list[Array]) -> None:
    theirs = stored(name, call)
    if STREAMS[name].flag:
        assert bool(found[1]) == bool(theirs[1]), f"{name}, call {call}"
    for ours, right in zip(wanted(name, found), wanted(name, theirs), strict=True):
        np.testing.assert_array_equal(ours, right, err_msg=f"{name}, call {call}")


@pytest.mark.parametrize("name", STREAMS)
def test_results_equal_tflm_over_many_calls(name: str) -> None:
    graph = load_tflite(Path(f"{name}.tflite"), model(name))
    memory: dict[int, Array] = {}
    for call, x in enumerate(inputs(name)):
        check(name, call, run_reference(graph, [x], memory=memory))


def run_in_c(folder: Path, board_id: str | None) -> None:
    board = None if board_id is None else load_board(board_id)
    target = HOST if board is None else board.target
    units = []
    for i, name in enumerate(STREAMS):
        graph = load_tflite(Path(f"{name}.tflite"), model(name))
        lowered = lower_and_plan(graph, target, Options())
        project = generate(lowered.program, lowered.plan, f"m{i}", name)
        units.append(Unit(lowered.program, lowered.plan, project))
    bench = build_bench(units, folder, board, sanitize=board is None)
    vectors = [[[x] for x in inputs(name)] for name in STREAMS]
    found = run_bench(bench, units, vectors, runs=1)
    for name, unit, records in zip(STREAMS, units, found, strict=True):
        for i, record in enumerate(records):
            check(name, i * CALLS // len(records), unit.decode(record.outputs))


@pytest.mark.gcc
def test_c_on_the_host_equals_tflm(tmp_path: Path) -> None:
    run_in_c(tmp_path, None)


@pytest.mark.qemu
def test_c_on_cortex_m4_equals_tflm(tmp_path: Path) -> None:
    run_in_c(tmp_path, "qemu_m4")
