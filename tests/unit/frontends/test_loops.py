"""The loop of a Keras LSTM, and loops that differ from it in one place: they are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest

from mcuc.errors import McucError, flatten
from mcuc.frontends.tflite import load_tflite
from tests.support.models import real_models

pytest.importorskip("ai_edge_litert")
pytestmark = [pytest.mark.litert, pytest.mark.data]

ADD, CONCATENATION, LOGISTIC, TANH, WHILE = 0, 2, 14, 28, 119
Change = Callable[[Any], None]


def changed(change: Change) -> bytes:
    """The stored model with its tables changed."""
    from ai_edge_litert import schema_py_generated as schema

    found = real_models("gen/tflite/lstm_28_f32.tflite")
    if not found:
        pytest.skip("the models of MCUC_DATA are not here")
    data = found[0].read_bytes()
    tree = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
    for graph in tree.subgraphs:
        graph.outputs = graph.outputs.copy()
        for operator in graph.operators:
            operator.inputs = operator.inputs.copy()
    change(tree)
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(tree.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def code_of(tree: Any, operator: Any) -> int:
    code = tree.operatorCodes[operator.opcodeIndex]
    return max(int(code.builtinCode), int(code.deprecatedBuiltinCode))


def body(tree: Any, code: int) -> list[Any]:
    return [op for op in tree.subgraphs[2].operators if code_of(tree, op) == code]


def other_function(tree: Any) -> None:
    wanted = body(tree, LOGISTIC)[0].opcodeIndex
    body(tree, TANH)[0].opcodeIndex = wanted


def gates_swapped(tree: Any) -> None:
    first, second = body(tree, LOGISTIC)[:2]
    first.inputs, second.inputs = second.inputs, first.inputs


def step_of_two(tree: Any) -> None:
    for tensor in (body(tree, ADD)[0].inputs[1], body(tree, ADD)[1].inputs[1]):
        buffer = tree.subgraphs[2].tensors[tensor].buffer
        tree.buffers[buffer].data = np.asarray([2], "<i4").view(np.uint8)


def cell_not_kept(tree: Any) -> None:
    tree.subgraphs[2].outputs[4] = tree.subgraphs[2].inputs[4]


def results_out_of_order(tree: Any) -> None:
    last = body(tree, CONCATENATION)[-1]
    last.inputs = last.inputs[::-1]


def fewer_steps(tree: Any) -> None:
    graph = tree.subgraphs[1]
    limit = graph.operators[0].inputs[1]
    tree.buffers[graph.tensors[limit].buffer].data = np.asarray([7], "<i4").view(np.uint8)


def fused(tree: Any) -> None:
    body(tree, ADD)[-1].builtinOptions.fusedActivationFunction = 1


def no_operands(tree: Any) -> None:
    for operator in tree.subgraphs[2].operators:
        operator.inputs = operator.inputs[:0]


def endless(tree: Any) -> None:
    sums = body(tree, ADD)
    sums[3].inputs[:] = sums[3].outputs[0]


REFUSED: dict[str, tuple[Change, str]] = {
    "other_function": (other_function, "E102"),
    "gates_swapped": (gates_swapped, "E102"),
    "step_of_two": (step_of_two, "E102"),
    "cell_not_kept": (cell_not_kept, "E102"),
    "results_out_of_order": (results_out_of_order, "E102"),
    "fewer_steps": (fewer_steps, "E111"),
    "fused": (fused, "E102"),
    "no_operands": (no_operands, "E102"),
    "endless": (endless, "E102"),
}


def test_the_loop_becomes_a_recurrent_op() -> None:
    graph = load_tflite(Path("m.tflite"), changed(lambda tree: None))
    assert "recurrent" in [node.op for node in graph.nodes]


@pytest.mark.parametrize("name", REFUSED)
def test_other_loops_are_refused_with_the_reason(name: str) -> None:
    change, code = REFUSED[name]
    with pytest.raises(McucError) as caught:
        load_tflite(Path("m.tflite"), changed(change))
    problems = flatten(caught.value)
    assert [problem.code for problem in problems] == [code]
    assert code != "E102" or "in this one" in problems[0].why
