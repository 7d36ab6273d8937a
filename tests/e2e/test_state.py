"""Models with state: the interpreter, the reference and the C agree over many calls and a reset."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.device.boards import load_board
from mcuc.errors import ScheduleError
from mcuc.frontends.tflite import load_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array, Graph
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc_codegen.project import generate
from tests.support.oracle import run_tflite, run_tflite_tensors

CALLS = 50
MODELS = ("mww_hey_jarvis", "mww_okay_nabu", "tflm_mnist_lstm_int8")


def model(name: str) -> Path:
    root = os.environ.get("MCUC_DATA")
    if root is None:
        pytest.skip("MCUC_DATA is not set")
    path = Path(root) / "models" / "repo" / f"{name}.tflite"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return path


def sequence(graph: Graph, vectors: list[list[Array]]) -> list[list[Array]]:
    memory: dict[int, Array] = {}
    return [run_reference(graph, vector, memory=memory) for vector in vectors]


@pytest.mark.litert
@pytest.mark.parametrize("name", MODELS)
def test_reference_equals_the_interpreter_over_many_calls(name: str) -> None:
    pytest.importorskip("ai_edge_litert")
    path = model(name)
    graph = load_tflite(path)
    vectors = random_vectors(graph, CALLS)
    theirs = run_tflite(path, vectors)
    for i, (ours, wanted) in enumerate(zip(sequence(graph, vectors), theirs, strict=True)):
        for a, b in zip(ours, wanted, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"call {i}")


@pytest.mark.litert
def test_every_step_of_an_lstm_equals_the_interpreter() -> None:
    """The model's outputs saturate; the sequence itself tells more."""
    pytest.importorskip("ai_edge_litert")
    path = model("tflm_mnist_lstm_int8")
    graph = load_tflite(path)
    vectors = random_vectors(graph, 5)
    memory: dict[int, Array] = {}
    (sequence_,) = [v for v, value in graph.values.items() if value.type.shape == (1, 28, 20)]
    for theirs, vector in zip(run_tflite_tensors(path, vectors), vectors, strict=True):
        ours = run_reference(graph, vector, keep_all=True, memory=memory)
        np.testing.assert_array_equal(ours[sequence_], theirs[sequence_])


def check(name: str, folder: Path, board_id: str | None) -> None:
    """Every request begins with a reset, so the second one repeats the first."""
    graph = load_tflite(model(name))
    board = None if board_id is None else load_board(board_id)
    target = HOST if board is None else board.target
    lowered = lower_and_plan(graph, target, Options())
    project = generate(lowered.program, lowered.plan, name, name)
    # a second instance in the same firmware, under another name
    twin = generate(lowered.program, lowered.plan, "twin", name)
    units = [Unit(lowered.program, lowered.plan, p) for p in (project, twin)]
    vectors = random_vectors(lowered.graph, CALLS)
    wanted = sequence(lowered.graph, vectors)
    bench = build_bench(units, folder, board, sanitize=board is None)
    for records in run_bench(bench, units, [vectors, vectors], runs=1):
        per_vector = len(records) // CALLS  # one run for each filling of the arena
        for i, record in enumerate(records):
            (got,) = units[0].decode(record.outputs)
            np.testing.assert_array_equal(got, wanted[i // per_vector][0], err_msg=f"call {i}")


@pytest.mark.gcc
@pytest.mark.parametrize("name", MODELS)
def test_c_on_the_host(name: str, tmp_path: Path) -> None:
    check(name, tmp_path, None)


@pytest.mark.parametrize("mode", ("streamed", "random"))
def test_state_beside_an_input_outside_the_arena_is_refused(mode: str) -> None:
    graph = load_tflite(model("mww_hey_jarvis"))
    with pytest.raises(ScheduleError, match="row by row") as caught:
        lower_and_plan(graph, HOST, Options(input_mode=mode))
    assert caught.value.code == "E304"
    assert "state" in (caught.value.why or "")


@pytest.mark.qemu
@pytest.mark.parametrize("name", MODELS)
def test_c_on_cortex_m4(name: str, tmp_path: Path) -> None:
    check(name, tmp_path, "qemu_m4")
