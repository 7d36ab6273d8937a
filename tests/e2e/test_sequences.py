"""LSTMs and RNNs of float32 that keep state: interpreter, reference and C over many calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcuc.compiler.bench import Unit, build_bench, run_bench
from mcuc.compiler.options import Options
from mcuc.compiler.pipeline import lower_and_plan
from mcuc.errors import McucError, flatten
from mcuc.frontends.tflite import load_tflite
from mcuc.inputs.vectors import random_vectors
from mcuc.ir.graph import Array, Graph
from mcuc.ir.target import HOST
from mcuc.ops.interpret import run_reference
from mcuc_codegen.project import generate
from tests.support.oracle import agree, run_tflite
from tests.support.sequence_model import model

CALLS = 6
LSTM, RNN = "UNIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN"
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm": (LSTM, {}),
    "lstm_major": (LSTM, {"batch": 2, "major": True, "clip": 0.4}),
    "lstm_batch": (LSTM, {"batch": 3, "peepholes": True}),
    "lstm_int8": (LSTM, {"int8": True}),
    "lstm_int8_batch": (LSTM, {"int8": True, "asymmetric": True, "batch": 2, "clip": 10.0}),
    "lstm_step": ("LSTM", {"batch": 2}),
    "rnn": (RNN, {"batch": 2}),
    "rnn_major": (RNN, {"major": True}),
    "rnn_step": ("RNN", {}),
}


def graph_of(name: str) -> tuple[bytes, Graph]:
    op, options = MODELS[name]
    data = model(op, **options)
    return data, load_tflite(Path(f"{name}.tflite"), data)


def sequence(graph: Graph, vectors: list[list[Array]]) -> list[Array]:
    memory: dict[int, Array] = {}
    return [run_reference(graph, vector, memory=memory)[0] for vector in vectors]


@pytest.mark.litert
@pytest.mark.parametrize("name", MODELS)
def test_reference_agrees_with_the_interpreter_over_many_calls(name: str) -> None:
    pytest.importorskip("ai_edge_litert")
    data, graph = graph_of(name)
    vectors = random_vectors(graph, CALLS)
    for ours, wanted in zip(sequence(graph, vectors), run_tflite(data, vectors), strict=True):
        assert agree(ours, wanted[0])


@pytest.mark.gcc
def test_c_equals_the_reference_over_many_calls_and_after_a_reset(tmp_path: Path) -> None:
    lowered = [lower_and_plan(graph_of(name)[1], HOST, Options()) for name in MODELS]
    units = [
        Unit(own.program, own.plan, generate(own.program, own.plan, f"m{i}", "m"))
        for i, own in enumerate(lowered)
    ]
    vectors = [random_vectors(own.graph, CALLS) for own in lowered]
    bench = build_bench(units, tmp_path, None, sanitize=True)
    found = run_bench(bench, units, vectors, runs=1)
    for name, own, unit, inputs, records in zip(
        MODELS, lowered, units, vectors, found, strict=True
    ):
        wanted = sequence(own.graph, inputs)
        for i, record in enumerate(records):
            (got,) = unit.decode(record.outputs)
            expected = wanted[i * CALLS // len(records)]
            np.testing.assert_array_equal(got, expected, err_msg=f"{name}, call {i}")


def test_other_activations_are_refused() -> None:
    with pytest.raises(McucError) as caught:
        load_tflite(Path("m.tflite"), model(RNN, activation="RELU"))
    assert {problem.code for problem in flatten(caught.value)} == {"E115"}
