"""Real networks: numpy reference, host C and emulated cores give the bytes of TFLite's reference
kernels. The long form, with more inputs and cores, is benchmarks/verify_all.py.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.measure import decoded, run_on, same_outputs
from benchmarks.models import OTHER_BOARDS
from benchmarks.samples import labelled, real_inputs
from mcuc.compiler.compile import Compiled
from mcuc.device.tflite_oracle import run_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array
from mcuc.ops.interpret import run_reference
from mcuc.proof.evaluate import evaluate_model
from mcuc.proof.verify import verify_model
from tests.support.real_models import (
    EVERY_CORE,
    LARGE,
    MLPERF,
    MODELS,
    SMALL,
    compiled,
    model_file,
    tflm,
)

pytestmark = [
    pytest.mark.data,
    pytest.mark.litert,
    pytest.mark.gcc,
    pytest.mark.arm_gcc,
    pytest.mark.qemu,
]


def assert_identical(name: str, got: list[list[Array]], want: list[list[Array]]) -> None:
    for number, (a, b) in enumerate(zip(got, want, strict=True)):
        assert same_outputs(a, b), f"{name}: outputs of set {number} differ"


def check(made: Compiled, places: tuple[str, ...], vectors: list[list[Array]]) -> None:
    wanted = run_tflite(made.model_bytes, vectors)
    ours = [run_reference(made.lowered.source, vector) for vector in vectors]
    assert_identical("reference", ours, wanted)
    for place in places:
        assert_identical(place, decoded(made, run_on(made, place, vectors)), wanted)


def check_arena(name: str, made: Compiled) -> None:
    """Never above TFLM's, and proven to be the smallest for its segments."""
    memory = made.report["memory"]
    assert memory["optimal"], "the gap to the bound has to be stated here"
    assert memory["arena_bytes"] >= memory["lower_bound_bytes"]
    if name in tflm():
        assert memory["arena_bytes"] <= tflm()[name].arena_bytes


def test_the_lists_name_existing_files_once() -> None:
    assert len(set(MODELS)) == len(MODELS) == len((*EVERY_CORE, *SMALL, *LARGE))
    assert all(model_file(name).is_file() for name in MODELS)
    folder = model_file("mcunet/x").parent
    listed = {f"mcunet/{path.stem}" for path in folder.glob("*.tflite")}
    assert listed == {name for name in MODELS if name.startswith("mcunet/")}
    assert set(tflm()) <= set(MODELS)


@pytest.mark.parametrize("name", EVERY_CORE)
def test_main_model_in_every_way(name: str) -> None:
    made = compiled(name)
    check_arena(name, made)
    given = real_inputs(made.lowered.source, 1)
    report = verify_model(made, vectors=1, against="tflite", given=given)
    verdict = report["verify"]
    assert verdict["mismatches"] == 0, verdict["first_mismatch"]
    assert verdict["vectors"] == 1 + len(given)


@pytest.mark.parametrize("name", SMALL)
def test_small_model_twice_in_used_memory(name: str) -> None:
    """Two runs on each of two differently filled arenas, between guards, sanitized on the host."""
    made = compiled(name)
    check_arena(name, made)
    vectors = random_vectors(made.lowered.source, 1, seed=4)
    check(made, (), vectors)
    for place in ("host", "board"):
        records = run_on(made, place, vectors, thorough=True, sanitize=place == "host")
        wanted = [run_reference(made.lowered.source, vectors[0])] * len(records)
        assert_identical(place, decoded(made, records), wanted)


@pytest.mark.parametrize("name", LARGE)
def test_large_model_once(name: str) -> None:
    made = compiled(name)
    check_arena(name, made)
    check(made, ("host", "board"), random_vectors(made.lowered.source, 1, seed=2))


@pytest.mark.parametrize("board", OTHER_BOARDS)
@pytest.mark.parametrize("name", MLPERF)
def test_mlperf_on_every_core(name: str, board: str) -> None:
    made = compiled(name, board)
    vectors = random_vectors(made.lowered.source, 1, seed=3)
    wanted = run_tflite(made.model_bytes, vectors)
    records = run_on(made, "board", vectors)
    assert_identical(board, decoded(made, records), wanted)
    assert records[0].instructions, "instructions are counted"


@pytest.mark.parametrize("name", ["repo/mlperf_ic01_resnet8_int8", "repo/mlperf_kws01_dscnn_int8"])
def test_accuracy_is_that_of_tflite_image_by_image(name: str) -> None:
    made = compiled(name)
    samples, labels = labelled(name, made.lowered.source)
    few = 10
    report = evaluate_model(made, ("host", "qemu"), samples[:few], labels[:few], "tflite")
    accuracy = report["accuracy"]
    assert accuracy["samples"] == few
    assert accuracy["samples_that_differ_between_places"] == 0
    assert accuracy["samples_that_differ_from_tflite"] == 0
    assert accuracy["correct"] == accuracy["tflite_correct"] >= few // 2


def test_the_largest_compiles(tmp_path: Path) -> None:
    out = tmp_path / "out"
    model = model_file("mcunet/mbv2_100_224_rand")
    subprocess.run(
        [sys.executable, "-m", "mcuc", "compile", str(model), "-o", str(out)],
        check=True,
        capture_output=True,
    )
    assert (out / "report.html").is_file()
