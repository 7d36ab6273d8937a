"""Files that load, and files that are refused, with what the user is told."""

from __future__ import annotations

import itertools
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcuc.errors import McucError, flatten
from mcuc.frontends.tflite import load_tflite, read_tflite
from mcuc.ir.graph import Graph
from mcuc.passes.verify import verify_graph
from tests.support.models import DIGITS
from tests.support.tflite_build import ModelBuilder

Q = {"scale": 0.5, "zero_point": 3}
PATH = Path("folder/model.tflite")


def load(model: ModelBuilder, inputs: list[int], outputs: list[int]) -> Graph:
    graph = load_tflite(PATH, model.build(inputs, outputs))
    verify_graph(graph)
    return graph


def problems(model: ModelBuilder, inputs: list[int], outputs: list[int]) -> list[McucError]:
    with pytest.raises(McucError) as caught:
        load_tflite(PATH, model.build(inputs, outputs))
    return list(flatten(caught.value))


def int8(model: ModelBuilder, name: str, shape: tuple[int, ...] = (1, 4)) -> int:
    return model.tensor(name, shape, "int8", **Q)


def test_example() -> None:
    graph = load_tflite(DIGITS)
    verify_graph(graph)
    assert graph.name == "digits_int8"
    assert {node.loc.file for node in graph.nodes} == {str(DIGITS)}
    assert [node.loc.op_index for node in graph.nodes] == list(range(len(graph.nodes)))


def test_missing_file() -> None:
    with pytest.raises(McucError) as caught:
        load_tflite(Path("no/such.tflite"))
    assert caught.value.code == "E108" and "no/such.tflite" in caught.value.what


def test_model_without_operators() -> None:
    model = ModelBuilder()
    x, unused = int8(model, "x"), int8(model, "unused")
    c = model.const("c", np.arange(4, dtype=np.int8).reshape(1, 4), **Q)
    graph = load(model, [x, unused], [x, c, x])
    assert graph.inputs == (x, unused) and graph.outputs == (x, c, x)
    np.testing.assert_array_equal(graph.values[c].const, [[0, 1, 2, 3]])


def test_dead_operators_are_kept_for_the_passes() -> None:
    model = ModelBuilder()
    x, y, z = (int8(model, n) for n in "xyz")
    model.op("RELU", [x], [y])
    model.op("RELU6", [x], [z])
    assert [node.op for node in load(model, [x], [z]).nodes] == ["relu", "relu"]


def test_tensors_of_one_buffer_share_their_data() -> None:
    model = ModelBuilder()
    x = int8(model, "x", (1, 2, 2, 1))
    shared = model.buffer(np.array([1, 2, 3, 4], np.int8))
    a = model.tensor("a", (1, 2, 2, 1), "int8", buffer=shared, **Q)
    b = model.tensor("b", (1, 2, 2, 1), "int8", buffer=shared, **Q)
    y, z = int8(model, "y", (1, 2, 2, 1)), int8(model, "z", (1, 2, 2, 1))
    model.op("ADD", [x, a], [y])
    model.op("ADD", [y, b], [z])
    graph = load(model, [x], [z])
    assert graph.values[a].const is graph.values[b].const


def test_names_may_be_any_bytes_and_need_not_be_unique() -> None:
    model = ModelBuilder()
    x, y = int8(model, "same"), int8(model, "same")
    model.op("RELU", [x], [y])
    data = model.build([x], [y]).replace(b"same", b"\xff\xfe\x80\n")
    graph = load_tflite(PATH, data)
    assert graph.values[x].name == "\ufffd\ufffd\ufffd\n" == graph.values[y].name


def test_code_in_the_old_field_only() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x"), int8(model, "y")
    model.op("RELU", [x], [y])
    data = bytearray(model.build([x], [y]))
    import tflite

    code = tflite.Model.GetRootAs(data, 0).OperatorCodes(0)
    place = code._tab.Pos + code._tab.Offset(10)
    data[place : place + 4] = bytes(4)
    (node,) = load_tflite(PATH, bytes(data)).nodes
    assert node.op == "relu"


def test_open_batch_size_becomes_one() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x", (-1, 4)), int8(model, "y", (-1, 4))
    model.op("RELU", [x], [y])
    loaded = read_tflite(PATH, model.build([x], [y]))
    assert loaded.graph.type(x).shape == loaded.graph.type(y).shape == (1, 4)
    assert loaded.notes == ('input 0 "x": open batch size taken as 1',)


def test_other_open_sizes_are_refused() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x", (1, -1)), int8(model, "y", (1, -1))
    model.op("RELU", [x], [y])
    found = problems(model, [x], [y])
    assert {p.code for p in found} == {"E105"} and found[0].help


def test_all_problems_are_reported_with_their_places() -> None:
    model = ModelBuilder()
    x, y, z, w, v = (int8(model, n) for n in "xyzwv")
    f = model.tensor("f", (1, 4), "float32")
    model.op("ELU", [x], [y])
    model.op("SOFTMAX", [y], [z], {"beta": -1.0})
    model.op("MEAN", [z, x], [w])
    model.op("ADD", [w, f], [v])
    found = problems(model, [x, f], [v])
    places = [(p.code, p.loc.op_index, p.loc.op, p.loc.tensor) for p in found]
    assert places[0] == ("E102", 0, "ELU", "y")
    assert ("E115", 1, "SOFTMAX", "z") in places
    assert ("E113", 2, "MEAN", "w") in places
    assert ("E110", 3, "ADD", "v") in places
    assert all(p.loc.file == str(PATH) for p in found)
    assert "not supported" in found[0].what and found[0].help


def test_custom_operator_is_named() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x"), int8(model, "y")
    model.op("CUSTOM", [x], [y])
    (problem,) = problems(model, [x], [y])
    assert problem.code == "E102" and "custom operator" in problem.what


@pytest.mark.parametrize("dtype", ["float16", "int32", "int64", "bool"])
def test_other_element_types_are_refused_with_the_operator(dtype: str) -> None:
    model = ModelBuilder()
    x = model.tensor("x", (1, 4), dtype)
    y = int8(model, "y")
    model.op("RELU", [x], [y])
    (problem,) = problems(model, [x], [y])
    assert problem.code in ("E119", "E110")
    assert problem.loc.op == "RELU" and problem.loc.op_index == 0
    assert "s8" in problem.what


def test_result_written_twice() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x"), int8(model, "y")
    model.op("RELU", [x], [y])
    model.op("RELU6", [x], [y])
    (problem,) = problems(model, [x], [y])
    assert problem.code == "E104" and problem.loc.op_index == 1


def test_result_that_is_an_input_or_a_constant() -> None:
    model = ModelBuilder()
    x = int8(model, "x")
    c = model.const("c", np.zeros((1, 4), np.int8), **Q)
    model.op("RELU", [x], [x])
    model.op("RELU", [x], [c])
    assert [(p.code, p.loc.op_index) for p in problems(model, [x], [c])] == [
        ("E104", 0),
        ("E104", 1),
    ]


def test_cycle_and_wrong_order() -> None:
    model = ModelBuilder()
    x, y, z = (int8(model, n) for n in "xyz")
    model.op("ADD", [x, z], [y])
    model.op("RELU", [y], [z])
    (problem,) = problems(model, [x], [z])
    assert problem.code == "E104" and problem.loc.op_index == 0 and "operator 1" in problem.why


def test_tensor_without_data() -> None:
    model = ModelBuilder()
    x, y, z, nothing = (int8(model, n) for n in ("x", "y", "z", "nothing"))
    model.op("ADD", [x, z], [y])
    found = problems(model, [x], [y, nothing])
    assert [p.code for p in found] == ["E104", "E104"]


def test_constant_and_repeated_inputs() -> None:
    model = ModelBuilder()
    x = int8(model, "x")
    c = model.const("c", np.zeros((1, 4), np.int8), **Q)
    assert [p.code for p in problems(model, [x, x, c], [x])] == ["E104", "E104"]


def test_declared_shape_that_is_wrong() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x"), int8(model, "y", (1, 5))
    model.op("RELU", [x], [y])
    (problem,) = problems(model, [x], [y])
    assert problem.code == "E118" and "(1, 5)" in problem.what and "(1, 4)" in problem.what


def test_constant_of_wrong_size() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x"), int8(model, "y")
    small = model.buffer(np.zeros(3, np.int8))
    c = model.tensor("c", (1, 4), "int8", buffer=small, **Q)
    model.op("ADD", [x, c], [y])
    (problem,) = problems(model, [x], [y])
    assert problem.code == "E101"


def test_huge_shapes_cost_nothing() -> None:
    model = ModelBuilder()
    huge = (1 << 30, 1 << 30, 1 << 30)
    x, y = int8(model, "x", huge), int8(model, "y", huge)
    c = model.tensor("c", huge, "int8", buffer=model.buffer(bytes(4)), **Q)
    model.op("ADD", [x, c], [y])
    started = time.monotonic()
    assert {p.code for p in problems(model, [x], [y])} == {"E105"}
    assert time.monotonic() - started < 1


def test_lists_of_absurd_length() -> None:
    model = ModelBuilder()
    x = int8(model, "x")
    (problem,) = problems(model, [x] * 5000, [x])
    assert problem.code == "E101"


def test_too_many_operands() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x"), int8(model, "y")
    model.op("ADD", [x, x, x], [y])
    (problem,) = problems(model, [x], [y])
    assert problem.code == "E112"


def test_missing_operands() -> None:
    model = ModelBuilder()
    x, y, z = (int8(model, n) for n in "xyz")
    model.op("ADD", [x, -1], [y])
    model.op("CONV_2D", [-1], [z])
    assert {p.code for p in problems(model, [x], [y, z])} == {"E112"}


@pytest.mark.parametrize(
    ("scale", "zero_point", "axis", "code"),
    [
        ((0.5, 0.25), (0, 0), 0, None),
        ((0.5, 0.25), (0, 0), 3, "E209"),
        ((0.5, 0.25, 0.125), (0, 0, 0), 0, "E209"),
        ((0.5, 0.25), (0,), 0, None),
        ((0.5, 0.25), (), 0, None),
        ((0.5,), (0, 0), 0, "E209"),
        ((0.5, 0.25), (0, 0, 0), 0, "E209"),
        ((0.5, float("nan")), (0, 0), 0, "E202"),
    ],
)
def test_quantization_of_weights(scale, zero_point, axis, code) -> None:
    model = ModelBuilder()
    x, y = int8(model, "x", (1, 3)), int8(model, "y", (1, 2))
    w = model.const(
        "w",
        np.ones((2, 3), np.int8),
        scale=scale,
        zero_point=zero_point,
        quantized_dimension=axis,
    )
    model.op("FULLY_CONNECTED", [x, w], [y])
    if code is None:
        quant = load(model, [x], [y]).type(w).quant
        assert quant is not None and quant.scales == scale and quant.zero_points == (0, 0)
        return
    (problem,) = problems(model, [x], [y])
    assert problem.code == code


def test_activations_are_quantized_per_tensor() -> None:
    model = ModelBuilder()
    x = model.tensor("x", (1, 2), "int8", scale=(0.5, 0.25), quantized_dimension=1)
    y = int8(model, "y", (1, 2))
    model.op("RELU", [x], [y])
    (problem,) = problems(model, [x], [y])
    assert problem.code == "E209"


def test_axis_of_a_bias_means_nothing() -> None:
    model = ModelBuilder()
    x, y = int8(model, "x", (1, 3)), int8(model, "y", (1, 2))
    w = model.const("w", np.ones((2, 3), np.int8), scale=(0.5, 0.25))
    b = model.const("b", np.ones(2, np.int32), scale=(0.25, 0.125), quantized_dimension=3)
    model.op("FULLY_CONNECTED", [x, w, b], [y])
    quant = load(model, [x], [y]).type(b).quant
    assert quant is not None and quant.axis == 0


def test_long_chain_is_quick() -> None:
    model = ModelBuilder()
    tensors = [int8(model, f"t{i}") for i in range(1001)]
    for a, b in itertools.pairwise(tensors):
        model.op("RELU", [a], [b])
    started = time.monotonic()
    graph = load(model, tensors[:1], tensors[-1:])
    assert len(graph.nodes) == 1000 and time.monotonic() - started < 5


def test_scales_named_again_and_again_cost_little() -> None:
    model = ModelBuilder()
    units = 60_000
    x = int8(model, "x", (1, 1))
    w = model.const("w", np.ones((units, 1), np.int8), scale=[0.5] * units)
    results = [int8(model, f"y{i}", (1, units)) for i in range(100)]
    for y in results:
        model.op("FULLY_CONNECTED", [x, w], [y])
    data = model.build([x], results)
    started = time.monotonic()
    with pytest.raises(McucError, match="E117"):
        load_tflite(PATH, data)
    assert time.monotonic() - started < 20


def test_wide_concatenation() -> None:
    model = ModelBuilder()
    parts = [int8(model, f"p{i}", (1, 2)) for i in range(60)]
    y = int8(model, "y", (1, 120))
    model.op("CONCATENATION", parts, [y], {"axis": 1})
    (node,) = load(model, parts, [y]).nodes
    assert node.inputs == tuple(parts)


def test_scales_are_float32() -> None:
    model = ModelBuilder()
    x = model.tensor("x", (1, 4), "int8", scale=0.1)
    quant = load(model, [x], [x]).type(x).quant
    assert quant is not None and quant.scale == float(np.float32(0.1)) != 0.1


def test_data_behind_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files above 2 GB hold offset and size of a buffer instead of its data."""
    import tflite

    marker = 0x1122334455667788

    def external(fb: Any, data: bytes) -> int:
        tflite.BufferStart(fb)
        if data:
            tflite.BufferAddOffset(fb, marker)
            tflite.BufferAddSize(fb, len(data))
        return int(tflite.BufferEnd(fb))

    monkeypatch.setattr("tests.support.tflite_build._write_buffer", external)
    model = ModelBuilder()
    x, y = int8(model, "x"), int8(model, "y")
    c = model.const("c", np.array([[1, 2, 3, 4]], np.int8), **Q)
    model.op("ADD", [x, c], [y])
    tables = model.build([x], [y])
    stored = tables.replace(struct.pack("<Q", marker), struct.pack("<Q", len(tables)))
    graph = load_tflite(PATH, stored + bytes([1, 2, 3, 4]))
    np.testing.assert_array_equal(graph.values[c].const, [[1, 2, 3, 4]])
    for damaged in (tables, stored, stored + b"\1\2\3"):
        with pytest.raises(McucError, match="E101"):
            load_tflite(PATH, damaged)
