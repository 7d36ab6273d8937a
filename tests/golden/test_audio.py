"""TFLM's audio front-end gives TFLM's features, stored by tests/golden/make_tflm.py."""

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
from tests.support.models import data_folder

MODEL = "models/repo/tflm_audio_preprocessor_int8.tflite"
STORED = Path(__file__).parent / "tflm_audio.npz"
CALLS = 48


def inputs() -> list[Array]:
    """Frames [1, 480] int16: tones and noise from silence to full scale."""
    rng = np.random.default_rng(3)
    found = []
    for k in range(CALLS):
        loud = (0, 20, 400, 6000, 20000, 40000)[k % 6]
        tone = np.sin(np.arange(480) * (0.01 + 0.05 * (k % 7)))
        frame = loud * tone + rng.normal(0, 1 + loud / 4, 480)
        found.append(np.clip(frame, -32768, 32767).astype(np.int16)[np.newaxis])
    return found


def model() -> Path:
    folder = data_folder()
    if folder is None or not (folder / MODEL).is_file():
        pytest.skip("the model is not there (MCUC_DATA)")
    return folder / MODEL


def test_features_equal_tflm_over_many_calls() -> None:
    graph = load_tflite(model())
    stored = np.load(STORED)["outputs"]
    memory: dict[int, Array] = {}
    for x, wanted in zip(inputs(), stored, strict=True):
        (found,) = run_reference(graph, [x], memory=memory)
        np.testing.assert_array_equal(found, wanted)
    assert np.unique(stored).size > 100


def check(folder: Path, board_id: str | None) -> None:
    board = None if board_id is None else load_board(board_id)
    target = HOST if board is None else board.target
    lowered = lower_and_plan(load_tflite(model()), target, Options())
    unit = Unit(lowered.program, lowered.plan, generate(lowered.program, lowered.plan, "m", "m"))
    stored = np.load(STORED)["outputs"]
    bench = build_bench([unit], folder, board, sanitize=board is None)
    vectors = [[x] for x in inputs()]
    for records in run_bench(bench, [unit], [vectors], runs=1):
        per_vector = len(records) // CALLS
        for i, record in enumerate(records):
            (got,) = unit.decode(record.outputs)
            np.testing.assert_array_equal(got, stored[i // per_vector], err_msg=f"call {i}")


@pytest.mark.gcc
def test_c_on_the_host_equals_tflm(tmp_path: Path) -> None:
    check(tmp_path, None)


@pytest.mark.qemu
def test_c_on_cortex_m4_equals_tflm(tmp_path: Path) -> None:
    check(tmp_path, "qemu_m4")
