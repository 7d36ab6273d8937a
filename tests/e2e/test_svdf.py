"""SVDF on float32, and on int8 with int16 states: interpreter, reference and C over many calls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.frontends.tflite import load_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array, Graph
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc_codegen.project import generate
from tests.support.oracle import agree, run_tflite
from tests.support.svdf_model import model

CALLS = 15


def sequence(graph: Graph, vectors: list[list[Array]]) -> list[Array]:
    memory: dict[int, Array] = {}
    return [run_reference(graph, vector, memory=memory)[0] for vector in vectors]


@pytest.mark.litert
@pytest.mark.parametrize("kind", ["f32", "s16"])
def test_reference_equals_the_interpreter_over_many_calls(kind: str) -> None:
    pytest.importorskip("ai_edge_litert")
    graph = load_tflite(Path("svdf.tflite"), model(kind))
    vectors = random_vectors(graph, CALLS)
    theirs = run_tflite(model(kind), vectors)
    for ours, wanted in zip(sequence(graph, vectors), theirs, strict=True):
        assert agree(ours, wanted[0])


@pytest.mark.gcc
@pytest.mark.parametrize("kind", ["f32", "s16", "s8"])
def test_c_equals_the_reference_over_many_calls_and_after_a_reset(
    kind: str, tmp_path: Path
) -> None:
    lowered = lower_and_plan(load_tflite(Path("svdf.tflite"), model(kind)), HOST, Options())
    unit = Unit(lowered.program, lowered.plan, generate(lowered.program, lowered.plan, "m", "m"))
    vectors = random_vectors(lowered.graph, CALLS)
    wanted = sequence(lowered.graph, vectors)
    bench = build_bench([unit], tmp_path, None, sanitize=True)
    for records in run_bench(bench, [unit], [vectors], runs=1):
        per_vector = len(records) // CALLS
        for i, record in enumerate(records):
            (got,) = unit.decode(record.outputs)
            np.testing.assert_array_equal(got, wanted[i // per_vector], err_msg=f"call {i}")
