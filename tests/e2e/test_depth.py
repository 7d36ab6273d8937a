"""B118: requantization is TFLite's integer arithmetic, so that nothing drifts with depth."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.device.boards import load_board
from mcuc.frontends.tflite import load_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc_codegen.project import generate
from tests.support.oracle import run_tflite
from tests.support.tflite_build import ModelBuilder

LAYERS, CHANNELS = 40, 6


def deep_model() -> bytes:
    """Convolutions in a row, whose factors have nothing in common; all keep the range of values."""
    rng = np.random.default_rng(118)
    build = ModelBuilder()
    scale, x = 0.05, build.tensor("x", (1, 4, 4, CHANNELS), "int8", scale=0.05, zero_point=-3)
    first = x
    for i in range(LAYERS):
        scales = rng.uniform(0.004, 0.006, CHANNELS).astype(np.float32)
        weights = rng.integers(-127, 128, (CHANNELS, 1, 1, CHANNELS)).astype(np.int8)
        bias = rng.integers(-500, 500, CHANNELS).astype(np.int32)
        w = build.const(f"w{i}", weights, scale=scales.tolist(), zero_point=[0] * CHANNELS)
        b = build.const(
            f"b{i}", bias, scale=(scales * np.float32(scale)).tolist(), zero_point=[0] * CHANNELS
        )
        scale = float(np.float32(rng.uniform(0.04, 0.06)))
        zero_point = int(rng.integers(-9, 9))
        y = build.tensor(f"y{i}", (1, 4, 4, CHANNELS), "int8", scale=scale, zero_point=zero_point)
        options = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
        build.op("CONV_2D", [x, w, b], [y], options, version=3)
        x = y
    return build.build([first], [x])


@pytest.mark.litert
@pytest.mark.qemu
def test_b118_forty_layers_are_exact_and_know_no_floats(tmp_path: Path) -> None:
    data = deep_model()
    graph = load_tflite(Path("deep.tflite"), data)
    board = load_board("qemu_m4")
    lowered = lower_and_plan(graph, board.target, Options())
    assert len(lowered.graph.nodes) == LAYERS
    project = generate(lowered.program, lowered.plan, "deep", "deep.tflite")
    used = project.files["deep.c"]
    assert not re.search(r"\b(float|double)\b", used)
    unit = Unit(lowered.program, lowered.plan, project)
    vectors = random_vectors(graph, 8, 1)
    wanted = run_tflite(data, vectors)
    assert len({w[0].tobytes() for w in wanted}) == len(vectors), "the last layer still tells"
    for place in (None, board):
        folder = tmp_path / ("host" if place is None else "board")
        bench = build_bench([unit], folder, place)
        (records,) = run_bench(bench, [unit], [vectors], runs=1, poisons=(0x55,))
        for record, theirs in zip(records, wanted, strict=True):
            np.testing.assert_array_equal(unit.decode(record.outputs)[0], theirs[0])
