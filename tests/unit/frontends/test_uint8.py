"""Operators of uint8 models: read as int8, they give the interpreter's bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mcuc.frontends.tflite import load_tflite
from mcuc.ir.types import DType
from mcuc.ops.interpret import run_reference
from mcuc.passes.center_weights import center_weights
from tests.support.oracle import run_tflite
from tests.support.tflite_build import ModelBuilder

pytest.importorskip("ai_edge_litert")
pytestmark = pytest.mark.litert

SHAPE = (1, 9, 8, 5)
STRIDES: dict[str, Any] = {"stride_h": 2, "stride_w": 1, "padding": "SAME"}
POOL = {**STRIDES, "filter_height": 3, "filter_width": 2}


def bytes_(rng: np.random.Generator, shape: tuple[int, ...]) -> npt.NDArray[np.uint8]:
    return rng.integers(0, 256, shape, np.uint8)


def check(
    op: str,
    out: tuple[int, ...],
    options: dict[str, Any] | None = None,
    *,
    shapes: tuple[tuple[int, ...], ...] = (SHAPE,),
    constants: tuple[tuple[npt.NDArray[Any], dict[str, Any]], ...] = (),
    quant: tuple[float, int] = (0.07, 117),
) -> None:
    rng = np.random.default_rng(len(op))
    model = ModelBuilder()
    inputs = [
        model.tensor(f"x{i}", shape, "uint8", scale=0.05 + 0.02 * i, zero_point=130 - 7 * i)
        for i, shape in enumerate(shapes)
    ]
    stored = [model.const(f"k{i}", data, **q) for i, (data, q) in enumerate(constants)]
    y = model.tensor("y", out, "uint8", scale=quant[0], zero_point=quant[1])
    model.op(op, [*inputs, *stored], [y], options)
    file = model.build(inputs, [y])
    graph = load_tflite(Path("m.tflite"), file)
    assert [graph.type(v).dtype for v in (*graph.inputs, *graph.outputs)] == [DType.U8] * (
        len(inputs) + 1
    )
    vectors = [[bytes_(rng, shape) for shape in shapes] for _ in range(3)]
    centered = center_weights(graph)
    for vector, (wanted,) in zip(vectors, run_tflite(file, vectors), strict=True):
        for own in (graph, centered):
            (got,) = run_reference(own, vector)
            np.testing.assert_array_equal(got, wanted)


def weights(
    shape: tuple[int, ...], outputs: int, zero: int, spread: int, scale: float = 0.011
) -> tuple[tuple[npt.NDArray[Any], dict[str, Any]], ...]:
    """Weights within `spread` of their zero point, and a bias."""
    rng = np.random.default_rng(spread)
    low, high = max(0, zero - spread), min(255, zero + spread)
    data = rng.integers(low, high + 1, shape, np.uint8)
    bias = rng.integers(-3000, 3000, outputs).astype(np.int32)
    return (
        (data, {"scale": scale, "zero_point": zero}),
        (bias, {"scale": float(np.float32(0.05) * np.float32(scale)), "zero_point": 0}),
    )


@pytest.mark.parametrize(("zero", "spread"), [(128, 127), (103, 255), (0, 255), (255, 255)])
def test_b88_weights_with_zero_points(zero: int, spread: int) -> None:
    activation = {"fused_activation_function": "RELU6"}
    check(
        "CONV_2D",
        (1, 5, 8, 7),
        {**STRIDES, **activation},
        constants=weights((7, 3, 3, 5), 7, zero, spread),
        quant=(0.9, 3),
    )
    check(
        "DEPTHWISE_CONV_2D",
        (1, 5, 8, 10),
        {**STRIDES, "depth_multiplier": 2},
        constants=weights((1, 3, 3, 10), 10, zero, spread),
        quant=(0.5, 120),
    )
    check(
        "FULLY_CONNECTED",
        (1, 6),
        constants=weights((6, 360), 6, zero, spread),
        quant=(0.9, 120),
    )


def test_pools() -> None:
    same = (0.05, 130)
    check("AVERAGE_POOL_2D", (1, 5, 8, 5), POOL, quant=same)
    check("MAX_POOL_2D", (1, 5, 8, 5), POOL, quant=same)


def test_elementwise() -> None:
    check("ADD", SHAPE, {"fused_activation_function": "RELU"}, shapes=(SHAPE, SHAPE))
    check("MUL", SHAPE, shapes=(SHAPE, (5,)), quant=(0.5, 100))
    check("LOGISTIC", SHAPE, quant=(1 / 256, 0))
    check("RELU6", SHAPE, quant=(0.03, 5))
    check("SOFTMAX", SHAPE, {"beta": 1.0}, quant=(1 / 256, 0))


def test_shapes_and_means() -> None:
    same = (0.05, 130)
    axes = (np.array([1, 2], np.int32), {})
    check("MEAN", (1, 1, 1, 5), {"keep_dims": True}, constants=(axes,), quant=(0.04, 100))
    paddings = (np.array([[0, 0], [1, 2], [0, 1], [0, 0]], np.int32), {})
    check("PAD", (1, 12, 9, 5), constants=(paddings,), quant=same)


def test_bytes_at_the_border_of_an_int8_model_stay() -> None:
    model = ModelBuilder()
    x = model.tensor("x", (1, 4), "uint8", scale=0.5, zero_point=128)
    q = model.tensor("q", (1, 4), "int8", scale=0.5, zero_point=0)
    y = model.tensor("y", (1, 4), "int8", scale=0.5, zero_point=0)
    model.op("QUANTIZE", [x], [q])
    model.op("RELU", [q], [y])
    graph = load_tflite(Path("m.tflite"), model.build([x], [y]))
    assert [node.op for node in graph.nodes] == ["quantize", "relu"]
