"""Small `.tflite` networks that went wrong in other tools, with the numbers of their reports."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mcuc.frontends.tflite import load_tflite
from mcuc.ir.graph import Graph
from mcuc.ir.types import DType
from mcuc.numerics import float32
from mcuc.ops.interpret import run_reference
from tests.support.oracle import agree, run_tflite
from tests.support.tflite_build import ModelBuilder

INT32 = 2  # of the schema
Q = {"scale": 0.05, "zero_point": -3}


def judged(model: ModelBuilder, inputs: list[int], outputs: list[int]) -> Graph:
    """The graph, after its reference was compared with the interpreter."""
    pytest.importorskip("ai_edge_litert")
    file = model.build(inputs, outputs)
    graph = load_tflite(Path("m.tflite"), file)
    rng = np.random.default_rng(3)
    vectors = []
    for _ in range(3):
        types = [graph.type(v) for v in graph.inputs]
        vectors.append(
            [
                rng.uniform(-1, 1, t.shape).astype(np.float32)
                if t.dtype is DType.F32
                else rng.integers(-128, 128, t.shape).astype(t.dtype.numpy)
                for t in types
            ]
        )
    for vector, wanted in zip(vectors, run_tflite(file, vectors), strict=True):
        for ours, theirs in zip(run_reference(graph, vector), wanted, strict=True):
            assert agree(ours, theirs)
    return graph


def bytes_(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-127, 128, shape).astype(np.int8)


@pytest.mark.litert
def test_b2_two_transposed_convolutions_with_a_scale_per_channel() -> None:
    model = ModelBuilder()
    x = model.tensor("x", (1, 4, 4, 6), "int8", **Q)
    options = {"stride_h": 2, "stride_w": 2, "padding": "SAME"}
    last = x
    for i, (size, depth, units) in enumerate(((8, 6, 5), (16, 5, 3))):
        scales = np.geomspace(1e-4, 0.02, units)  # a wrong axis would be far off
        w = model.const(f"w{i}", bytes_(i, units, 4, 4, depth), scale=scales, zero_point=0)
        shape = model.const(f"s{i}", np.array([1, size, size, units], np.int32))
        y = model.tensor(f"y{i}", (1, size, size, units), "int8", scale=0.08, zero_point=5)
        model.op("TRANSPOSE_CONV", [shape, w, last], [y], options)
        last = y
    graph = judged(model, [x], [last])
    assert [node.op for node in graph.nodes] == ["transpose_conv"] * 2


def test_b37_softmax_of_large_logits_is_finite() -> None:
    far = np.array([[-249.87, -424.13, -460.29, 378.10, -292.61]], np.float32)
    near = np.array([[7999.99, 8000, 2, 1]], np.float32)
    np.testing.assert_allclose(float32.softmax(far, 1.0), [[0, 0, 0, 1, 0]], atol=1e-37)
    wanted = [[0.4976, 0.5024, 0, 0]]
    np.testing.assert_allclose(float32.softmax(near, 1.0), wanted, atol=2e-4)


@pytest.mark.litert
def test_b53_a_reshape_to_a_shape_that_the_file_computes() -> None:
    model = ModelBuilder()
    x = model.tensor("x", (1, 6), "int8", **Q)
    shape = model.tensor("shape", (2,), "int32")
    batch = model.tensor("batch", (), "int32")
    packed = model.tensor("packed", (3,), "int32")
    y = model.tensor("y", (1, 2, 3), "int8", **Q)
    ends = [model.const(n, np.array([k], np.int32)) for n, k in (("a", 0), ("b", 1), ("c", 1))]
    sizes = [model.const(f"d{k}", np.array(k, np.int32)) for k in (2, 3)]
    model.op("SHAPE", [x], [shape], {"out_type": INT32})
    model.op("STRIDED_SLICE", [shape, *ends], [batch], {"shrink_axis_mask": 1})
    model.op("PACK", [batch, *sizes], [packed], {"values_count": 3, "axis": 0})
    model.op("RESHAPE", [x, packed], [y])
    assert [node.op for node in judged(model, [x], [y]).nodes] == ["reshape"]


@pytest.mark.litert
def test_b59_squeeze_and_excite() -> None:
    model = ModelBuilder()
    x = model.tensor("x", (1, 4, 4, 8), "int8", **Q)
    pooled = model.tensor("pooled", (1, 1, 1, 8), "int8", **Q)
    axes = model.const("axes", np.array([1, 2], np.int32))
    model.op("MEAN", [x, axes], [pooled], {"keep_dims": True})
    last = pooled
    for i, (depth, units) in enumerate(((8, 2), (2, 8))):
        w = model.const(f"w{i}", bytes_(i, units, 1, 1, depth), scale=0.01, zero_point=0)
        bias = model.const(f"b{i}", np.zeros(units, np.int32), scale=0.0005, zero_point=0)
        y = model.tensor(f"y{i}", (1, 1, 1, units), "int8", **Q)
        options = {"stride_h": 1, "stride_w": 1, "padding": "VALID"}
        if i == 0:
            options["fused_activation_function"] = "RELU"
        model.op("CONV_2D", [last, w, bias], [y], options)
        last = y
    gate = model.tensor("gate", (1, 1, 1, 8), "int8", scale=1 / 256, zero_point=-128)
    model.op("LOGISTIC", [last], [gate])
    y = model.tensor("y", (1, 4, 4, 8), "int8", scale=0.04, zero_point=0)
    model.op("MUL", [x, gate], [y])
    judged(model, [x], [y])


def test_b85_all_inputs_are_there_the_unused_one_too() -> None:
    model = ModelBuilder()
    a, b = (model.tensor(name, (1, 4), "int8", **Q) for name in "ab")
    unused = model.tensor("unused", (2,), "float32")
    y = model.tensor("y", (1, 4), "int8", **Q)
    model.op("ADD", [a, b], [y])
    graph = load_tflite(Path("m.tflite"), model.build([a, b, unused], [y]))
    assert [graph.values[v].name for v in graph.inputs] == ["a", "b", "unused"]
    assert graph.type(graph.inputs[2]).dtype is DType.F32


@pytest.mark.litert
def test_b86_weights_of_float16_are_folded() -> None:
    model = ModelBuilder()
    x = model.tensor("x", (1, 5, 5, 3), "float32")
    halves = np.random.default_rng(0).normal(size=(4, 3, 3, 3)).astype(np.float16)
    stored = model.const("half", halves)
    w = model.tensor("w", halves.shape, "float32")
    y = model.tensor("y", (1, 5, 5, 4), "float32")
    bias = model.const("bias", np.arange(4, dtype=np.float32))
    model.op("DEQUANTIZE", [stored], [w])
    model.op("CONV_2D", [x, w, bias], [y], {"stride_h": 1, "stride_w": 1, "padding": "SAME"})
    graph = judged(model, [x], [y])
    assert [node.op for node in graph.nodes] == ["conv2d"]
