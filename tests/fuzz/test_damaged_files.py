"""Damaged files are refused with a ModelError or load; nothing else, in 2 s and 1 GiB each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.models import DIGITS, ROOT, real_models

# Small models with many different operators.
NAMES = (
    "repo/mlperf_kws01_dscnn_int8.tflite",
    "repo/tflm_person_detect_int8.tflite",
    "repo/openmv_fomo_face_detection.tflite",
    "repo/tinyengine_mcunet_vww_int8.tflite",
    "gen/tflite/ssd_96_int8.tflite",
    "repo/mww_okay_nabu.tflite",
    "repo/tflm_mnist_lstm_int8.tflite",
    "repo/deeploy_tinyvit_demo.onnx",
    "gen/qdq/dscnn_kws_ts_qdq_pc.onnx",
    "gen/onnx/tcn_har__ts.onnx",
    "gen/onnx/yolo_nano_128__ts.onnx",
)
QUICK, LONG = 40, 1000


def run(model: Path, first: int, number: int) -> None:
    child = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.child", str(model), str(first), str(number)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60 + 2 * number,
        check=False,
    )
    assert child.stdout == "", child.stdout
    assert child.returncode == 0, child.stderr
    assert f"done {number}" in child.stderr


def test_damaged_example() -> None:
    run(DIGITS, 0, QUICK)


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_damaged_real_model(name: str) -> None:
    models = real_models(name)
    if not models:
        pytest.skip("the models of MCUC_DATA are not here")
    run(models[0], 0, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", ("", *NAMES))
def test_many_damaged_files(name: str) -> None:
    models = real_models(name) if name else [DIGITS]
    if not models:
        pytest.skip("the models of MCUC_DATA are not here")
    run(models[0], 10_000, LONG)
