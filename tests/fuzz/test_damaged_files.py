"""Damaged files are refused with a ModelError or load; nothing else, in 2 s and 1 GiB each."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.onnx_nodes import RESULTS, cases, load
from tests.support import signal_models
from tests.support.models import DIGITS, ROOT, real_models
from tests.support.one_op import file_of
from tests.support.type_matrix import MAKERS
from tests.unit.frontends.test_sparse import FORMS, sparse_model
from tests.variants.making import types_of

# Small models with many different operators.
NAMES = (
    "repo/mlperf_kws01_dscnn_int8.tflite",
    "repo/tflm_person_detect_int8.tflite",
    "repo/openmv_fomo_face_detection.tflite",
    "repo/tinyengine_mcunet_vww_int8.tflite",
    "gen/tflite/ssd_96_int8.tflite",
    "repo/mww_okay_nabu.tflite",
    "repo/tflm_mnist_lstm_int8.tflite",
    "repo/tflm_audio_preprocessor_int8.tflite",
    "gen/tflite/lstm_28_f32.tflite",
    "repo/deeploy_tinyvit_demo.onnx",
    "gen/qdq/dscnn_kws_ts_qdq_pc.onnx",
    "gen/onnx/tcn_har__ts.onnx",
    "gen/onnx/yolo_nano_128__ts.onnx",
)
QUICK, LONG = 40, 1000
STORED = json.loads(RESULTS.read_text("utf-8"))


def run(models: Sequence[Path], first: int, number: int) -> None:
    child = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.child", str(first), str(number), *map(str, models)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60 + 2 * number * len(models),
        check=False,
    )
    assert child.stdout == "", child.stdout
    assert child.returncode == 0, child.stderr
    assert f"done {number}" in child.stderr


def test_damaged_example() -> None:
    run([DIGITS], 0, QUICK)


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_damaged_real_model(name: str) -> None:
    models = real_models(name)
    if not models:
        pytest.skip("the models of MCUC_DATA are not here")
    run(models[:1], 0, QUICK)


@pytest.fixture(scope="module")
def node_tests(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """ONNX's own tests that load, one of each operator, what must be known stored in them."""
    folder = tmp_path_factory.mktemp("nodes")
    found: dict[str, Path] = {}
    for case in cases().values():
        name = "+".join(case.operators)
        takes = STORED["tests"].get(case.name) == "pass" and case.inputs
        if name in found or not takes or len(case.operators) > 1:
            continue
        found[name] = folder / f"{case.name}.onnx"
        found[name].write_bytes(load(case).file)
    return list(found.values())


def test_damaged_operators(node_tests: list[Path]) -> None:
    assert len(node_tests) > 100
    run(node_tests, 0, 8)


@pytest.fixture(scope="module")
def operators(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files of one operator: every builtin one, streams of sound, sparse weights in every form."""
    pytest.importorskip("ai_edge_litert")
    made = {}
    for name, maker in MAKERS.items():
        dtype = next(iter(types_of(name)), None)
        if dtype is not None:
            made[name], _ = file_of([maker(dtype)])
    made |= {name: signal_models.model(name) for name in signal_models.STREAMS}
    for form, densify in itertools.product(FORMS, (False, True)):
        made[f"sparse_{form}_{densify}"] = sparse_model("int8", densify, form)
    folder = tmp_path_factory.mktemp("operators")
    for name, data in made.items():
        (folder / f"{name}.tflite").write_bytes(data)
    return sorted(folder.iterdir())


def test_damaged_builtins(operators: list[Path]) -> None:
    assert len(operators) > 100
    run(operators, 0, 8)


@pytest.mark.slow
def test_many_damaged_builtins(operators: list[Path]) -> None:
    run(operators, 10_000, 200)


@pytest.mark.slow
def test_many_damaged_operators(node_tests: list[Path]) -> None:
    run(node_tests, 10_000, 200)


@pytest.mark.slow
@pytest.mark.parametrize("name", ("", *NAMES))
def test_many_damaged_files(name: str) -> None:
    models = real_models(name) if name else (DIGITS,)
    if not models:
        pytest.skip("the models of MCUC_DATA are not here")
    run(models[:1], 10_000, LONG)
